# Texts of the commands remember, list, show, edit, forget, restore, archive, delete, undo, used.

memory-temporary = session { $session } is temporary: nothing of it is kept
memory-temporary-advice = `annals session temporary { $session } off` ends that
memory-known = it was known already
memory-replaced = a known memory says this now; its earlier text is in its history
memory-known-keeps = it was known already and keeps its { $kept }; change it with `annals edit`
memory-for-bad = --for { $keep } is no time that something can be kept for
memory-for-words = write hours, days or weeks, such as 36h, 7d or 2w{ $words ->
    [none] {""}
   *[other] , or a word of the profile: { $words }
}

memory-meta-bad = --meta { $pair } has no `=`
memory-meta-words = write it as KEY=VALUE

memory-list-none = no memories in { $name } that fit
memory-kind-missing = no memory here is of kind { $kind }; the kinds here are { $there }
memory-kind-not-of-profile = { $kind } is no kind of the profile { $profile }, whose kinds are { $known }; `annals edit --kind` corrects it
memory-kind-new = { $kind } is a new kind here; if { $near } was meant, `annals edit --kind { $near }` corrects it
memory-list-page = { $memories } of { $total } memories; the next page: --after { $next }

memory-score = score
memory-retention = retention
memory-class = class
memory-used = used
memory-used-returned = { $used }, returned { $returned }
memory-last-access = last access
memory-due = next looked at
memory-source-deleted = {" "}(deleted)
memory-revised = edited
memory-stale-since = stale since
memory-stale-why = { $at }: a source was deleted; it is to be derived again
memory-revision-until = until { $until }, revision { $revision }

memory-edit-none = nothing was changed
memory-edit-asleep = { $count } of the earlier text fell asleep: { $asleep }; `annals graph explain` shows them, `annals graph add` says them again
memory-edit-no-tag = the memory has no tag { $tag }
memory-edit-no-field = the memory has no field { $key }
memory-edit-nothing = nothing to change was given; see `annals edit --help`
memory-edit-no-editor = nothing to change was given, and neither $VISUAL nor $EDITOR names an editor
memory-edit-set-editor = set EDITOR=nano, or give --text
memory-edit-cannot = cannot edit with { $editor }: { $cause }
memory-edit-ended = { $editor } ended with { $status }; nothing was changed
memory-edit-text = the edited text

memory-used-nothing = used { $id }, which changes nothing: { $why }
memory-used-same = used { $id }
memory-used-score = used { $id }: score { $before } to { $after }
memory-why-cooldown = the last one that did is less than { $cooldown_seconds } seconds ago
memory-why-day = the day's gain of { $cap_per_day } is reached
memory-why-session = it counted in this session already
memory-why-signal = the profile strengthens by another signal (reinforce.signal)
memory-nothing-selected = nothing is selected; give ids or a selection such as --tag, --session or --until
memory-word-forgotten = forgotten
memory-was-already = { $id } was { $status } already

memory-undo = took back { $undone }
memory-undo-opened = true again: { $id }
memory-undo-stored = the storing
memory-undo-edited = the edit
memory-undo-forgotten = the forgetting
memory-undo-archived = the archiving
memory-undo-restored = the restoring
memory-undo-adjusted = the adjustment
memory-undo-linked = the link
memory-undo-told = the telling
memory-undo-synced = the edits of files
memory-undo-verdict = the verdict
memory-undo-of = { $change } of { $at }
memory-undo-cannot = cannot take it back: { $why }
memory-undo-gone = is gone
memory-undo-says = says again
memory-undo-traits = has its other traits again
memory-undo-known = was known before and stays
memory-undo-status = is { $status } again

memory-delete-everything = to delete everything: `annals delete --all`; the namespace too: `annals namespace delete NAME`
memory-delete-queued = number { $number } of `annals queue list`: they go in batches whenever a program has the file open, and all at once by `annals jobs run`
memory-word-deleted = deleted
memory-delete-kept = passed over { $id }: the profile keeps it
memory-delete-unknown = there is no memory { $word }

memory-forgotten = forgotten { $id }
memory-archived = archived { $id }
memory-restored = restored { $id }

memory-undo-line = { $id } { $is }: { $text }
