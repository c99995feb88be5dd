# Texts of `annals session`.

session-ended = { $session }: { $memories } deleted
session-became = {"  "}it became { $episode }
session-later = {"  "}it is summed up later: { $why }

session-no-scratchpad = nothing is on the scratchpad

session-temporary = { $name } is temporary
session-not-temporary = { $name } is not temporary
