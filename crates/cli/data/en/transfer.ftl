# Texts of the commands import, export, sync.

transfer-removed = removed the mirrored file { $path }
transfer-left = a mirrored file is left until `annals sync`: { $left }
transfer-failed = failed
transfer-file-removed = removed
transfer-written = written
transfer-written-conflict = written; both sides had changed something, the older text is in the history
transfer-unchanged = as it was
transfer-conflict = both sides had changed something, the older text is in the history
transfer-not-in-step = { $files } files are not in step; the first: { $first }

transfer-exported = exported { $count } to { $file }

transfer-every = --every takes a number of seconds above 0
transfer-folder-of-profile = the profile names the folder { $folder }, and nobody else has
transfer-name-that-folder = if you want the files there: annals sync { $folder }
transfer-no-folder-set = no folder is set for the files, and the profile names none; give one: annals sync FOLDER
transfer-cannot-make-folder = cannot make the folder { $folder }: { $cause }
transfer-create = `--create` makes it; nothing was written

transfer-all-several = --all stores in several namespaces, and one is looked through
transfer-choose-conversation = choose one with --conversation ID
transfer-is-export = this file is an export
transfer-has-sessions = the sessions of this file have names
transfer-session = --session is for files of messages; { $held }
transfer-bring-back = --bring-back is for turns, conversations, messages and transcripts; an export brings back everything
transfer-episode =
    stored 1 episode
    { $id }
transfer-no-episode = stored 0 episodes; it was there already

transfer-resume-other = the import into { $name } that stopped was that of { $source }
transfer-resume-none = no import into { $name } has stopped half-way
transfer-from-line = name the line to go on at: --from-line LINE

transfer-conversation-flags = --conversation and --all are for files of conversations; this one holds lines
transfer-cannot-refused = cannot write the refused lines: { $cause }
transfer-line-left-out = line { $line } was left out: { $reason }
transfer-stored-none = nothing is stored
transfer-stored-one = line 1 is stored
transfer-stored-lines = lines 1 to { $done } are stored
transfer-again = import again
transfer-resume = go on with --resume
transfer-go-on = go on with --from-line { $next }
transfer-correct = { $stored }; correct line { $next } and { $again }, or leave it out with --skip-bad FILE
transfer-stored = stored { $memories }
transfer-and-parts = {" "}and { $parts }
transfer-and-judged = {" "}and { $judged }
transfer-left-out = , { $left_out } left out: not all that they name is here
transfer-lines-left-out = , { $lines } left out

transfer-line-flags = --resume, --from-line and --skip-bad are for files of lines; a conversation is one document
transfer-stored-turns = stored { $turns } of { $conversations }
transfer-no-transcript = { $file } is no transcript of { $name }: { $error }
transfer-name-format = name its format with --format, or leave --format away
transfer-no-messages = { $file } holds no messages: { $error }
transfer-several = { $file } holds { $count } conversations: { $names }
transfer-choose-or-all = choose one with --conversation ID, or import each into its own namespace with --all

transfer-messages-form = the form is { $form }, or lines of either

transfer-already-there = , { $count ->
    [one] 1 was
   *[other] { $count } were
} there already
transfer-deleted-since = , { $count ->
    [one] 1 was deleted since and stays
   *[other] { $count } were deleted since and stay
} away (see --bring-back)
transfer-differing = ; { $count ->
    [one] 1 of them differs from what its session has in its place, and comes
   *[other] { $count } of them differ from what their session has in their place, and come
} last
