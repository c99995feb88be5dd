# 命令 language 的文字。

language-from-file = 本数据库
language-the-messages = 消息文件
language-stored = 已存入消息文件 { $name }
language-deleted = 已移除消息文件 { $name }
language-is = { $namespace } 的语言是 { $now }
language-namespace-first = 没有命名空间 { $name }；语言要写在命名空间之后
language-namespace-first-advice = 写成 annals language use NAMESPACE { $language }
