# What several commands say.

## Counts

common-memories = { $count ->
    [one] { $count } memory
   *[other] { $count } memories
}
common-triples = { $count ->
    [one] { $count } triple
   *[other] { $count } triples
}
common-entities = { $count ->
    [one] { $count } entity
   *[other] { $count } entities
}
common-links = { $count ->
    [one] { $count } link
   *[other] { $count } links
}
common-windows = { $count ->
    [one] { $count } window
   *[other] { $count } windows
}
common-windows-were = { $count ->
    [one] { $count } window was
   *[other] { $count } windows were
}
common-times = { $count ->
    [one] { $count } time
   *[other] { $count } times
}
common-proposals-wait = { $count ->
    [one] { $count } proposal waits
   *[other] { $count } proposals wait
}
common-problems = { $count ->
    [one] { $count } problem
   *[other] { $count } problems
}
common-namespaces = { $count ->
    [one] { $count } namespace
   *[other] { $count } namespaces
}
common-decisions-and-waits = { $count ->
    [one] { $count } decision or wait
   *[other] { $count } decisions and waits
}
common-values = { $count ->
    [one] { $count } value
   *[other] { $count } values
}
common-turns = { $count ->
    [one] { $count } turn
   *[other] { $count } turns
}
common-texts = { $count ->
    [one] { $count } text
   *[other] { $count } texts
}
common-steps = { $count ->
    [one] { $count } step
   *[other] { $count } steps
}
common-projects = { $count ->
    [one] { $count } project
   *[other] { $count } projects
}
common-pieces-of-work = { $count ->
    [one] { $count } piece of work
   *[other] { $count } pieces of work
}
common-parts-of-graph = { $count ->
    [one] { $count } part of the graph
   *[other] { $count } parts of the graph
}
common-pairs = { $count ->
    [one] { $count } pair of memories
   *[other] { $count } pairs of memories
}
common-mirrored-files = { $count ->
    [one] { $count } mirrored file
   *[other] { $count } mirrored files
}
common-memories-say = { $count ->
    [one] { $count } memory says
   *[other] { $count } memories say
}
common-lines = { $count ->
    [one] { $count } line
   *[other] { $count } lines
}
common-files = { $count ->
    [one] { $count } file
   *[other] { $count } files
}
common-conversations = { $count ->
    [one] { $count } conversation
   *[other] { $count } conversations
}
common-comma = {", "}

## Files

common-read = read
common-write = write

common-check-path = check the path
common-foreign-file = { $path } belongs to { $owner }, who could read and change what is in it
common-not-a-file = { $path } is no regular file
common-other-names = { $path } has other names (hard links), which lead to the same file
common-remove-foreign = remove it, or name a place in a folder that only you can write
common-check-rights = check the rights of the file and its folder
common-choose-folder = choose a folder that can be written
common-free-space = free some space on the disk and try again
common-name-file-not-folder = name a file, not a folder
common-check-disk = check the path and the disk
common-cannot = cannot { $doing } { $path }: { $cause }
common-error = error:
common-because = because:
common-try = try:
common-see-memories = `annals list` shows the ids; was it another --namespace?
common-see-namespaces = `annals namespace list` shows the names
common-see-entities = `annals graph entities` shows the numbers
common-see-triples = `annals graph triples` shows the numbers
common-see-merges = `annals graph merges` shows the numbers
common-see-profiles = `annals profile list` shows the names
common-see-languages = `annals language list` shows them
common-see-kinds = name one of them with --kind
common-see-jobs = `annals jobs list` shows the profiles and their jobs
common-see-queue = `annals queue list` shows the numbers
common-see-reviews = `annals review list` shows what waits for a verdict
common-see-proposals = `annals review proposals` shows what waits
common-see-suspicions = `annals review contradictions` shows the pairs
common-see-decisions = `annals review decisions` shows the numbers
common-cannot-output = cannot write the output: { $error }

common-without-model = without a language model: { $why }; what needs one waits (`annals queue list`)
common-made-private = other users of this machine could read { $path }: now its user alone can (rights that you give it again stay)
common-close-folder = take the rights of other users from
common-make-database-folder = make the folder of the database,
common-no-database = there is no database at { $path }
common-name-database = name one with --db or $ANNALS_DB, or make this one with `annals remember` or `annals import`
common-no-home = there is no folder for the database: neither HOME nor XDG_DATA_HOME names one from the root on
common-name-a-database = name a database with --db or $ANNALS_DB
common-one-namespace = this command works on one namespace; give --namespace once
common-cannot-json = cannot write the answer as JSON: { $error }
common-in-project = kept with this project ({ $name }); --global keeps what is true in every project
common-takes-no-namespace = `annals { $command }` takes no --namespace; leave it out
common-by-words = answered by words only: { $reason }
common-masked = masked in what was stored: { $kinds }. To keep such texts as they are, write { $key } = "allow" under [profile.privacy] of the config file
common-as-of-future = { $at } is yet to come; the answer is what is known now
common-times-utc = times are in UTC, not in { $zone }
common-no-namespace = there is no namespace { $name }

common-stretch = { $first } to { $last }
common-what = what
common-status = status
common-stored = stored
common-revision = revision
common-happened = happened
common-true-from = true from
common-true-until-label = true until
common-expires = expires
common-names-time = names
common-importance = importance
common-confidence = confidence
common-verified = verified
common-by-person = by a person
common-source = source
common-tags = tags
common-replaces = replaces
common-replaced-by = replaced by
common-session = session
common-session-turn = { $session }, turn { $position }
common-speaker = speaker
common-tool-call = tool call
common-attachment = attachment
common-true-until = true until { $until }

common-foreign-bad = ANNALS_ALLOW_FOREIGN is { $word }
common-foreign-words = set it to 1 or 0
common-zone-unknown = TZ is { $zone }, which is no name of the time zone database such as Europe/Berlin: UTC is used (or set `zone` in the config file)
common-share-bad = ANNALS_SHARE is { $word }
common-share-words = set it to auto, join or off
common-embedder-no-model = the embedder { $word } names no model
common-embedder-words = write it as URL#MODEL, for example http://localhost:11434/v1#nomic-embed-text

common-config-embedder-forms = "builtin", a model folder, or a table [embedder.http] with base_url and model
common-config-read = read the config file
common-config-file = the config file
common-config-line = { $path }, line { $line }: { $message }: `{ $source }`
common-config-correct = correct that line or take it out; `annals doctor` shows the settings in use
common-config-place = , line { $line }

common-embedder-unknown = the embedder { $word } is neither a folder nor a model that is installed
common-embedder-models = a folder is named by its whole path, or with `./` in front; `annals model list` shows the models; `annals model pull` fetches one; `builtin` and `small` need none
common-key-missing = the variable { $variable }, which holds the key, is not set
common-key-set = set it: export { $variable }=...
common-key-bad = the variable { $variable } holds no key: { $error }

common-expiry-keeps = ; `--for { $id }` keeps it
common-expiry = it expires at { $at }, as profile { $profile } has it for { $kind }{ $keeps }
common-expired-already = it expired at { $at } already: nothing recalls it, and only `annals list --all` shows it

common-is-in-use = { $path } is { $what }
common-name-another-file = name another file
common-is-folder = { $path } is a folder
common-name-file = name a file
common-exists = { $path } exists already
common-force = give --force to replace it, or another name
common-write-into-folder = write into the folder

common-the-text = the text
common-the-file-path = the file { $path }
common-the-file = the file
common-no-text = there is no text; give it as an argument, with --file, or pipe it in
common-standard-input = standard input
common-text-or-file = give the text either as an argument or with --file, not both
common-too-long = { $what } has more than { $limit } bytes, the longest text of a memory
common-split-it = split it, or turn it into JSON lines and use `annals import`

common-receipt-none = no memory fits; nothing was done
common-receipt-would = { $count } would be { $done }; add --yes to do it
common-receipt-derived = { $more } of them only because what they were derived from goes
common-receipt-link = link { $from } { $relation } { $to }
common-receipt-entity = entity #{ $id } { $name }
common-receipt-along = with it: { $counts }
common-receipt-asleep = asleep, because only forgotten memories say it: { $count }
common-receipt-stale = derived again later, because a source is missing: { $count }
common-receipt-see-stale = {" "}(see `annals list --stale`)
common-receipt-shortened = without its earlier texts, because what they were derived from goes: { $count }
common-receipt-revived = in force again, because what replaced it goes: { $count }
common-receipt-twins = the same words stay, in what was made one with it: { $count } (see `annals list --all`)
common-receipt-triple = triple { $id } { $triple }
common-receipt-more = {"  "}and { $more } more; --json lists all
common-receipt-done = { $done } { $count }
common-derived-from = derived from
common-interface-bad = ANNALS_LANG is { $word }
common-interface-words = set it to en, zh or auto
common-the-database = the database
common-file-read = the file that is read

common-not-looked-through = { $count } not processed yet; see `annals queue list`
common-given-up = { $count } given up: `annals queue list` says why, `annals queue retry --all` tries again
common-tried-later = tried again later: { $failed }; see `annals queue list`
common-troubles = { $given_up } given up, { $failed } wait after a failure, since { $since }

common-sample = the sample
common-no-data-set = { $path } is no data set: { $error }
common-unknown-fields = fields of turns that mean nothing here are passed over: { $names }
common-not-stored = not stored: { $told }

common-validation = { $file_bytes }, { $memories } in { $namespaces }, { $values } checked
common-validation-sound = no damage found
common-validation-broken = keep the file; restore a backup with `annals db restore`, or save what can be read with `annals db repair`

common-not-utf8 = { $what }{ $place } is not UTF-8: byte { $at }, on line { $line }, is 0x{ $bad }
common-convert = convert it, for example with `iconv -f WINDOWS-1252 -t UTF-8` or `iconv -f GB18030 -t UTF-8`

common-seconds = it must be a number of seconds, such as 5 or 0.5

common-program-where = cannot tell where this program is: { $error }

common-no-memory = there is no memory { $id } in namespace { $name }
common-profile-differs = the namespace { $name } has the profile { $profile }, not { $asked }
common-profile-differs-advice = name another namespace with -n, or change this one with `annals namespace use-profile { $name } { $asked }`

common-or = { $before } or { $last }

common-validation-advice = keep the file; restore a backup with `annals db restore`, or save what can be read with `annals db repair`

common-form = the form is { $form }

## Progress

common-comparing = comparing
common-reading = reading
common-asking = asking
common-importing = importing
common-pulling = pulling
common-exporting = exporting
common-compacting = compacting
common-embedding = embedding
common-profile-idle = [profile] in { $path } reaches no namespace: it counts for those under the profile `default`, and here are none; `annals profile store` makes a profile of your own
common-left = { $eta } left

## What a library said: a cause below a heading in Chinese, the message itself in English

common-failed-not-found = { $error }
common-failed-invalid = { $error }
common-failed-conflict = { $error }
common-failed-locked = { $error }
common-failed-corrupt = { $error }
common-failed-no-database = { $error }
common-failed-too-new = { $error }
common-failed-too-old = { $error }
common-failed-read-only = { $error }
common-failed-full = { $error }
common-failed-embedder = { $error }
common-failed-poisoned = { $error }
common-failed = { $error }
common-repair = keep the file; restore a backup with `annals db restore`, or save what can be read with `annals db repair`
common-poisoned = call it again: each run opens the database anew; if it fails again, `annals db verify` checks the file
common-not-whole = { $path } was read without a damaged part, and the answer may not be whole: { $damage }

common-llm-config = llm of the config file
common-llm-extract-config = llm_extract of the config file
common-llm-no-model = the language model { $word } names no model
common-write-transcript = write the transcript
common-llm-unusable = the language model cannot be used: { $reason }
common-llm-unusable-advice = `annals doctor` shows which one is meant and where its key is read from

common-llm-model-missing = is missing: name the model that the server offers
common-llm-url-missing = is missing: write it like http://localhost:11434/v1
common-llm-two-keys = stands beside key_env: name one of them
common-llm-timeout = must be from 0.001 to 86400
common-llm-at-least-1 = must be 1 or more
common-llm-at-least-0 = must be 0 or more
common-llm-forms = URL#MODEL, anthropic#MODEL, replay:FILE, or a table with base_url and model

common-llm-words = write it as URL#MODEL, for example http://localhost:11434/v1#qwen2.5, as anthropic#MODEL or anthropic:URL#MODEL, or as replay:FILE

common-io-not-found = there is no such file or folder
common-io-denied = permission is denied
common-io-exists = it exists already
common-io-folder = it is a folder
common-io-no-folder = a part of the path is no folder
common-io-read-only = the file system is read-only
common-io-full = no space is left
common-io-refused = nobody answers there
common-io-timed-out = it took too long
common-of = { $what }: { $said }
