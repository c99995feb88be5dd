# Texts of `annals hook`.

hook-enabled = hooks act in { $path } from now on; its memories are in { $namespace }
hook-enabled-already = hooks act in { $path } already; its memories are in { $namespace }
hook-profile = its memories live under the profile { $profile }
hook-propose-coding = a language model is set: `annals hook enable --profile coding` lets it find what will matter in the next session
hook-disabled = hooks act in { $path } no longer; what was kept stays
hook-disabled-already = hooks did not act in { $path }
hook-acts = hooks act in { $root }: { $namespace }
hook-acts-not = hooks do not act in { $base }; `annals hook enable` lets them
hook-acts-also = {"  "}also in { $root }: { $namespace }
hook-failed = {"  "}failed { $told }
hook-no-session = no session of this project is known yet
hook-name-session = name it: `annals hook temporary on SESSION`
hook-temporary = { $session } in { $namespace } is temporary: nothing of it is kept, no memory is shown in it
hook-is-temporary = {"  "}session { $session } is temporary: nothing of it is kept, no memory is shown in it; `annals hook temporary off` ends that
hook-none-temporary = no session of this project is temporary
hook-several-temporary = several sessions of this project are temporary: { $names }; name one: `annals hook temporary off SESSION`
hook-was-not-temporary = { $session } in { $namespace } was not temporary; nothing was changed
hook-not-temporary = { $session } in { $namespace } is temporary no longer; what was said meanwhile stays out
hook-find-project = find the project of

hook-no-repository = { $path } is in no repository: hooks act in every folder below it that is in none either
