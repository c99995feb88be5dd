# 命令 session 的文字。

session-ended = 会话 { $session } 已结束
session-ended-deleted = 会话 { $session } 已结束：已删除 { $memories }
session-became = {"  "}已归纳为 { $episode }
session-later = {"  "}稍后再做摘要：{ $why }

session-no-scratchpad = 草稿板上没有内容
session-none = 命名空间 { $name } 里没有会话

session-temporary = { $name } 是临时会话
session-not-temporary = { $name } 不是临时会话

session-unknown = 命名空间 { $name } 里没有会话 { $session }
session-unknown-advice = `annals list` 列出各条记忆及其会话；是不是在另一个 --namespace 里？
session-not-shown = 配置方案 { $profile } 的提示词里不显示草稿板；`agent` 会显示
