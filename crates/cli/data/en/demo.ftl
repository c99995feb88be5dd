# Texts of `annals demo`.

demo-no-conversation = the sample holds no conversation
demo-was = That was the demo;
demo-turns = { $turns } turns of a conversation in English and Chinese, { $from } to { $until }

demo-own = now remember something of your own:
