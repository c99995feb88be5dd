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
transfer-export-only = only { $name } was exported; --global exports what is true in every project
transfer-form-leaves = { $count } left out: { $why }
transfer-form-no-turns = this form has no place for turns of conversations, and takes nothing that is hidden
transfer-form-turns-only = this form holds turns of conversations alone
transfer-form-in-use = the forms of other programs hold what is in use, nothing that is hidden or over

transfer-every = --every takes a number of seconds above 0
transfer-folder-of-profile = only the profile names the folder { $folder }, and a profile may come from somebody else
transfer-name-that-folder = if you want the files there: annals sync { $folder }
transfer-no-folder-set = no folder is set for the files, and the profile names none; give one: annals sync FOLDER
transfer-cannot-make-folder = cannot make the folder { $folder }: { $cause }
transfer-folder-is-link = { $link } is a link to { $target }; whoever made what you work on may have put it there
transfer-name-real-folder = name the folder that it leads to, or add --follow
transfer-read-folder = read the folder
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

## Files of other programs

transfer-no-file = name a file, a folder or an archive to import
transfer-no-files-there = --agents and --undo find by themselves what they are about; name no file
transfer-column-form = write it as WHAT=NAME, such as text=message
transfer-record-flags = --resume, --from-line, --conversation, --all and --format last-chat are for one file of lines or of a conversation; what is there is known again, so import once more to go on
transfer-other-files = { $count ->
    [one] 1 file of another kind is left out
   *[other] { $count } files of other kinds are left out
}: { $names }{ $more }
transfer-nothing-known = nothing that can be imported is among the files: { $names }
transfer-nothing-there = there is no file in { $path }
transfer-formats = `annals import --help` lists the formats; --dry-run says what a file is
transfer-leave-format = leave out --format: then what stands in each file tells its format
transfer-not-read = { $file }: { $error }
transfer-skip-record = leave it out with --skip-bad FILE; what stands before it is stored, and is known when you import again
transfer-stopped = { $stored } came in before it; import again when the file is corrected, what is there is known
transfer-line-bad = line { $line } cannot be read: { $reason }
transfer-stored-records = stored { $memories } from { $files } ({ $formats })
transfer-records-left-out = , { $count ->
    [one] 1 record was
   *[other] { $count } records were
} left out
transfer-dry = nothing was stored (--dry-run)
transfer-foreseen = { $format }, { $files }: { $about }
transfer-foreseen-turns = {"  "}{ $turns } of { $sessions ->
    [one] 1 session
   *[other] { $sessions } sessions
}
transfer-foreseen-speakers = {"  "}said by: { $speakers }
transfer-foreseen-memories = {"  "}brings { $memories }
transfer-foreseen-span = {"  "}from { $first } to { $last }
transfer-foreseen-left = {"  "}left out: { $told }
transfer-left-count = { $what }: { $count }
transfer-no-run = no import into { $name } is known that could be taken back
transfer-would-undo = would delete { $memories } of the import of { $began } (--dry-run)
transfer-undone = deleted { $memories } of the import of { $began }
transfer-agents-stored = { $name }: stored { $turns } from { $files }, { $already } were there
transfer-agents-would = { $name }: { $turns } in { $files }
transfer-agents-none = no transcript of a coding agent is in { $home }
transfer-agents-namespace = --agents stores each transcript in the namespace of its project: leave out --namespace
transfer-agents-no-home = the home folder is not known; set HOME
transfer-watch-no-folder = name the folders to watch: annals import --watch FOLDER
transfer-watch-folder = { $path } is no folder: --watch takes folders
transfer-watch-flags = --watch takes what comes, and names what it cannot read: --resume, --from-line, --conversation, --all and --skip-bad are for a single import
transfer-watch-signals = cannot hear when it is to end: { $cause }
transfer-watching = watching { $names }; Ctrl-C ends it
transfer-watch-took = { $name }: stored { $memories } ({ $format })
transfer-watch-bad = { $name }: line { $line } was left out: { $reason }
transfer-watched = stored { $memories } from { $files }
transfer-notes-folder = notes are a folder: name one
transfer-folder-used = { $folder } is no empty folder
transfer-folder-force = name another folder, or add --force: files of the same names are replaced
transfer-not-chosen = { $file } names { $id } as the namespace of a conversation, which agents are told: a file does not choose that
transfer-choose = import it alone, into a namespace that you name: --conversation { $id } -n NAME
transfer-passed-over = { $own } is not read: the profile keeps its memories in { $path }
transfer-more-warnings = { $path }: and { $count } more warnings; --json lists all
transfer-kept-in = what was set aside is kept in { $path }
