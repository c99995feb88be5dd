# 命令 session 的文字。

session-ended = { $session }：已删除 { $memories }
session-became = {"  "}已归纳为 { $episode }
session-later = {"  "}稍后再做摘要：{ $why }

session-no-scratchpad = 草稿板上没有内容

session-temporary = { $name } 是临时会话
session-not-temporary = { $name } 不是临时会话
