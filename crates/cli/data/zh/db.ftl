# 命令 db 的文字。

db-compacted = 压缩前 { $before }，压缩后 { $after }

db-reembedded = 已用 { $embedder } 嵌入 { $texts }；另有 { $already } 段之前已完成

db-backing-up = 正在复制
db-backed-up = 已写入 { $file } 并核对 { $values }，{ $bytes }

db-restored = 已将 { $values } 恢复到 { $file }
db-restore-without-folders = 项目文件夹的记录未恢复（{ $reason }）；之后在各项目中执行的第一条命令会重新记下它的文件夹
db-restore-kept = 原来的数据库保留为 { $file }
db-restore-force = 请用 --db 指定另一个名字，或用 --force 替换：原来的数据库会保留在旁边

db-repairing = 正在读取剩下的内容
db-repaired = 已将 { $memories }保存到 { $file }，读出 { $values }
db-repair-mended = 纠正了 { $count } 个翻转的位
db-repair-part = 丢失：命名空间 { $namespace }，{ $kind }，{ $id }：{ $reason }
db-repair-more = 另有 { $count } 处；--json 会全部列出
db-repair-rebuilt = 命名空间 { $name } 已根据其记忆重新组成
db-repair-lost = 有 { $count } 处未能保存；其余内容在 { $file } 中

db-file = 文件
db-size = 大小
db-namespaces = 命名空间
db-memories = 记忆
db-embedder = 嵌入模型
db-dims = { $embedder }，每个向量 { $dims } 维

db-usage-none = 还没有调用过语言模型
db-usage-together = 合计

db-moving = 正在复制
db-moved = 已将 { $values } 复制到 { $place }，并逐一核对
db-moved-from = { $place } 保持原样；此后请不要再写入
db-no-postgres = 这个程序在构建时没有包含 PostgreSQL
db-no-postgres-advice = 请这样构建：cargo install --path crates/cli --features postgres
db-no-variable = 变量 { $name } 没有设置
