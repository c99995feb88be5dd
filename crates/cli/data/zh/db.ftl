# 命令 db 的文字。

db-compacted = 压缩前 { $before }，压缩后 { $after }

db-reembedded = 已用 { $embedder } 嵌入 { $texts }；另有 { $already } 段之前已完成

db-file = 文件
db-size = 大小
db-namespaces = 命名空间
db-memories = 记忆
db-embedder = 嵌入模型
db-dims = { $embedder }，每个向量 { $dims } 维

db-usage-none = 还没有调用过语言模型
db-usage-together = 合计
