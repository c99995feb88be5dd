# Texts of `annals model`.

model-no-folder = there is no folder for models; set ANNALS_MODELS to one
model-is-in = { $name } is in { $dir }; use it with --embedder { $name }
model-none = no models in { $models }; the built-in embedder needs none
model-ready = ready

model-no-tool = this profile has no tool { $tool }
model-tools-are = its tools are { $names }
model-not-done = the call was not done; the answer says why
model-no-profile = there is no profile { $profile }

model-removed = removed { $name }
