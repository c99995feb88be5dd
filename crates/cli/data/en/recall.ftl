# Texts of the commands recall, context, and reasons of hits.

recall-below-floor = too weak for a prompt
recall-newer = replaced by { $newer }, which is newer
recall-newer-text = there is a newer one: "{ $begins }"
recall-words = words: { $words }
recall-found-by = found by: { $channels }
recall-names-time = the text names { $time }
recall-by-entity = {" "}by { $name }
recall-near-0 = graph: named or found{ $by }
recall-near-1 = graph: 1 step{ $by }
recall-near-steps = graph: { $steps } steps{ $by }
recall-graph-mode = graph: mode { $mode }
recall-graph-named = named { $names }
recall-graph-passed = passed over { $names }: too many memories mention them
recall-graph-no-start = not followed: nothing to begin from
recall-graph-not-followed = not followed
recall-graph-followed-1 = followed for 1 step
recall-graph-followed = followed for { $steps } steps
recall-graph-because-word = { $steps }, because of { $word }
recall-graph-because-likeness = { $steps }, because the best likeness is { $best }
recall-graph-by = by { $relations }
recall-graph-cut = ended early by a limit
recall-why-returned = It was returned, in place { $rank }.
recall-why-missing = There is no memory with that id in the namespace.
recall-why-filtered = It does not pass the filter: { $mismatch }.
recall-why-against = {" "}against { $score } of the last hit
recall-why-no-candidate = Neither words nor meaning brought it up; it would have scored { $score }{ $against }.
recall-why-below = Its score of { $score } is below the minimum of { $min_score }.
recall-why-outranked = Others were better: with { $score } it came in place { $rank }.
recall-why-alike = It is too much like a better hit; with { $score } it came in place { $rank }.
recall-why-other = It was left out for a reason that this program has no words for.

recall-why-not-one-namespace = --why-not works on one namespace; give --namespace once
recall-none-scores = no memory scores { $least }, the least that is asked for; --min-score 0 shows weaker ones
recall-none = no memory answers that; `annals list` shows what there is
recall-near-link-to = {" "}by a link to it ({ $relation })
recall-near-link-from = {" "}by a link from it ({ $relation })
recall-unlikely = probably nothing here answers that (probability { $probability }, below the { $least } that a prompt needs); the nearest memories:
recall-below = { $count ->
    [one] { $count } hit scores below { $most }, the least for a prompt: `annals context` leaves it out
   *[other] { $count } hits score below { $most }, the least for a prompt: `annals context` leaves them out
}

recall-context-none = nothing in the memory belongs in this prompt
recall-no-relation = links have no relation { $relation } here; there are { $known }
