# Texts of `annals doctor`.

doctor-none-yet = none yet at { $path }
doctor-none-yet-advice = `annals remember` makes it
doctor-owner-own = , for its own { $own }
doctor-owner = process { $pid } with annals { $version } answers for the database{ $keeps }
doctor-by-words-only = namespace { $name } is recalled by words only: its vectors are those of { $embedder }
doctor-reembed = { $commands } with the embedder that is to be used, or name the other one with --embedder
doctor-and = {" and "}
doctor-queue-advice = `annals queue list` of each namespace shows it with the reason; `annals queue retry --all` tries again

doctor-hooks-act = act in { $projects }
doctor-hooks-failed = failed { $told }

doctor-none = none
doctor-settings =
    config file { $config }
    namespace { $namespace }
    models in { $models }
    time zone { $zone }; times are shown in UTC
doctor-builtin = built-in
doctor-small = small, built in
doctor-small-better = `small` would find more here: of { $questions } questions in your conversations it ranks what followed them at { $after } (mean reciprocal rank), the built-in embedder at { $before }
doctor-small-advice = `--embedder small` (or `embedder = "small"` in the config file), then `annals db reembed` for each namespace; a question then takes about a millisecond longer
doctor-model-at = { $model } at { $base_url }
doctor-embedder-advice = `--embedder builtin` works without anything else
doctor-embedder = { $chosen }: { $embedder }, { $dims } numbers a vector
doctor-onnx = { $version } from { $path } ({ $describe })
doctor-onnx-needs = ; only models of your own need it
doctor-onnx-not-found =
    not found{ $needs }
    { $tried }
doctor-onnx-advice = `pip install onnxruntime` is enough, or set ORT_DYLIB_PATH to the library
doctor-tokens-estimated = estimated
doctor-tokens-counted = counted with { $path }, which knows { $vocabulary }
doctor-tokens-advice = $ANNALS_TOKENIZER or `tokenizer` in the config file names it; without one tokens are estimated
doctor-onnx-tried = tried { $path } ({ $describe })

doctor-reader = conversations are looked through by{" "}
doctor-model-advice = name one in $ANNALS_LLM or as [llm] in the config file: `annals chat` and `annals ingest` need one
doctor-model-none = no language model is named: conversations are kept as they are, and nothing is extracted from them
doctor-model-not-listed = the server does not list { $model }{ $offered }
doctor-model-no-list = the server does not list its models at { $address }/models
doctor-model-address = check the address: it usually ends in /v1
doctor-model-name = check the name of the model
doctor-model-none-listed = {" "}or any other model
doctor-model-lists-some = ; it lists { $count } models, such as { $names }
doctor-model-lists = ; it lists { $names }
doctor-transcript = the transcript { $file }
doctor-by = { $what }, by { $by }
doctor-no-key = no key
doctor-key-variable = key from ${ $variable }
doctor-key-file = key from { $file }
doctor-model = { $model } at { $address } ({ $protocol }), { $key }
doctor-calls = , { $calls } calls a minute
doctor-tokens = , { $tokens } tokens a minute
doctor-price = , a million tokens cost { $price_input } in and { $price_output } out

doctor-ok = ok
doctor-note = note
doctor-problem = problem
doctor-name-settings = settings
doctor-name-embedder = embedder
doctor-name-onnx-runtime = ONNX Runtime
doctor-name-model = model
doctor-name-tokens = tokens
doctor-name-database = database
doctor-name-projects = projects
doctor-name-owner = owner
doctor-name-vectors = vectors
doctor-name-queue = queue
doctor-name-clock = clock
doctor-name-hooks = hooks
