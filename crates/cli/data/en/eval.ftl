# Texts of `annals eval`.

eval-no-profile = there is no profile { $profile }; those that come along are { $names }
eval-not-looked = { $windows } not processed; what was said there counts as missed
eval-no-model = no language model is named, and without one nothing is extracted
eval-no-model-advice = name one with --llm or $ANNALS_LLM, or measure the store alone with --labels
eval-own-talks = the talks that come along
eval-unusable = { $path } cannot be used: { $error }
eval-extraction-form = `annals eval extraction --help` shows the form
eval-extraction =
    { $name }: { $facts } facts in { $talks } talks, { $found } found by { $by }, { $stored } stored, { $decisions } decisions about what is the same, { $questions } questions
    profile { $profile }, { $embedder }
    { $table }
eval-missed = not found
eval-beside = found beside
eval-unanswered = answered in part or not at all

eval-own-pairs = the pairs that come along
eval-nodes-form = `annals eval nodes --help` shows the form
eval-accuracy = accuracy
eval-precision-one = precision of "the same"
eval-recall-one = recall of "the same"
eval-pairs = { $name }: { $pairs } pairs, profile { $profile }, { $embedder }
eval-said-two = the same, judged different
eval-said-one = different, judged the same ({ $similarity })

eval-features = the features are { $names }
eval-silent-turn = conversation { $id }: turn { $turn } has no text and is left out
eval-no-questions = { $path } asks no questions
eval-no-profile-or-file = there is no profile { $named }; those that come along are { $names }, and a file of one ends with .toml
eval-not-utf8 = { $path } is no UTF-8
eval-write-figures = write the figures
eval-auc = AUC, { $unanswerable } unanswerable
eval-latency-50 = latency p50
eval-latency-95 = latency p95
eval-latency-99 = latency p99
eval-millis = { $millis } ms
eval-import = import
eval-turns-per-second = { $turns } turns/s
eval-indexes = indexes
eval-agreement = agreement@10
eval-recall =
    { $name }: { $questions } questions, { $turns } turns, { $embedder }
    { $table }

eval-labels = the labels themselves

eval-cannot-line = cannot write a line: { $reason }

eval-no-line = { $path }, line { $number } is no line of results: { $error }

eval-no-folder = cannot make a temporary folder: { $cause }

eval-not-left-out = the feature { $feature } cannot be left out
eval-none-left = no feature of relevance is left to rank by

eval-extraction-accuracy = extraction accuracy (F1)
eval-extraction-precision = {"  "}precision
eval-extraction-recall = {"  "}recall
eval-detail-retention = detail retention
eval-type-classification = type classification
eval-deduplication = de-duplication
eval-retrieval-precision = retrieval precision@3
eval-retrieval-ndcg = retrieval nDCG@3
eval-seconds = { $seconds } s
