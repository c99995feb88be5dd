# Texts of `annals session`.

session-ended = { $session } has ended
session-ended-deleted = { $session } has ended: { $memories } deleted
session-became = {"  "}it became { $episode }
session-later = {"  "}it is summed up later: { $why }

session-no-scratchpad = nothing is on the scratchpad
session-none = no session is in { $name }

session-temporary = { $name } is temporary
session-not-temporary = { $name } is not temporary

session-unknown = nothing is known of a session { $session } in { $name }
session-unknown-advice = `annals list` shows the memories with their sessions; another namespace: --namespace
session-not-shown = contexts of the profile { $profile } show no scratchpad; profile `agent` does
