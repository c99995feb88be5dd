# Texts of `annals review`.

review-nothing-decided = nothing was decided
review-taken-back = , taken back { $at }
review-decision = { $number }  { $at }  { $question }? { $answer }, by { $by }{ $undone }
review-decision-memory = {"   "}memory  { $id }
review-decision-reason = {"   "}reason  { $reason }
review-decision-did = {"   "}did     { $change }
review-undone = took back decision { $number }

review-decay = may it go?
review-promote = keep for good?
review-see-proposals = { $count }; see `annals review proposals`
review-see-pairs = { $count } may contradict each other; see `annals review contradictions`
review-none = no memory waits for a verdict
review-next-attempt = ; next attempt { $at }
review-no-verdict = a judge gave no verdict on { $memories }: { $reason }{ $next }
review-no-pairs = no memories wait to be told whether they contradict each other
review-settle = `annals review contradicts` or `compatible` with both ids, the upper one first, settles a pair
review-no-proposals = no proposal waits
review-accepted = accepted { $id }
review-remembered = remembered { $memory }
review-rejected = rejected { $id }
review-no-doubt = no memory is in doubt
review-no-wait = memory { $id } does not wait for a verdict
review-no-wait-advice = `annals review list` shows those that do

review-contradicts = { $newer } contradicts { $older }
review-compatible = { $newer } may be true beside { $older }
review-promoted = promoted { $id }
review-kept = kept { $id }
review-deleted = deleted { $id }
