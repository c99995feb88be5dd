# Texts of the commands serve, mcp.

serve-not-shared = this system or $ANNALS_SHARE does not let processes share a database
serve-owning = owning { $path } as process { $pid }; Ctrl-C ends it
serve-no-signals = cannot listen to signals: { $error }
serve-owned = process { $pid } owns { $path } already

serve-url = serving { $url }
serve-project = --project names a project, and a namespace is named as well; give one of them
serve-port = write PORT or ADDRESS:PORT, such as 19876 or 127.0.0.1:19876
