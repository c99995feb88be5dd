# 命令 graph 的文字。

graph-number-no-name = { $text } 是实体的编号形式，不能用作名称
graph-number-no-name-advice = 请取一个不像 #NUMBER 的名称
graph-several-called = 有 { $count } 个实体都叫 { $name }
graph-name-one-of = 请指明其中一个：{ $numbers }
graph-no-number = 这个命名空间里没有 { $id }
graph-nobody = 没有叫 { $name } 的实体

graph-deleted = 已删除 { $triples }
graph-delete-said = { $id }  { $said }；{ $sources }它
graph-would-delete = { $triples }将被删除；加上 --yes 执行

graph-no-entities = { $name } 里没有符合条件的实体
graph-next-page = 下一页：--after { $id }
graph-merged-into = 已并入 #{ $into }
graph-nothing-to-edit = 没有给出要修改的内容；见 `annals graph edit-entity --help`
graph-no-aliases = 它没有别名
graph-aliases = 它的别名有 { $names }
graph-no-alias = { $entity } 没有别名 { $gone }
graph-no-field = { $entity } 没有字段 { $key }
graph-was-merged = { $name } 已并入 #{ $into }
graph-was-merged-advice = `annals graph merges` 查看这次合并，`annals graph unmerge` 撤回
graph-spoken-of = 还有三元组提到 { $name }；最后一个删除后它随之删除
graph-spoken-of-advice = `annals graph triples --all --subject "#{ $number }"` 和 `--object "#{ $number }"` 列出它们，`annals graph delete` 删除它们
graph-deleted-entity = 已删除 { $name }
graph-would-delete-entity = { $name } 将被删除；加上 --yes 执行

graph-link-sleeps = { $id } 已忘掉：这个连接休眠，直到 `annals restore { $id }`
graph-no-links = 这条记忆没有连接
graph-asleep = 休眠
graph-added = 已存为三元组 { $id }

graph-above-direct = 高于 { $direct_above }：不论上下文
graph-if-context = ，且上下文相符
graph-above-context = 高于 { $context_above }{ $context }
graph-none-learnt = 还没有按相似度合并过，学不到新的阈值
graph-learns-none = 这些数值来自配置方案；它不从撤回的合并中学习
graph-no-merges = 没有合并过实体
graph-taken-back = （{ $at } 已撤回）
graph-none-alike = 检查了 { $checked } 个实体，没有应当合并的
graph-merge-found = `annals graph merge --found` 合并它们
graph-next-page-number = 下一页：--after { $next }
graph-nothing-to-merge = 没有可以合并的
graph-became = { $source } 已并入 { $target }：`annals graph unmerge { $id }` 撤回
graph-stands-again = { $source } 重新独立
graph-staying = 合并之后说到的 { $count }留在 { $target }：{ $numbers }

graph-no-triples = { $name } 里没有符合条件的三元组
graph-status = 状态
graph-visible = 可见
graph-since = 始于
graph-valid-from = 生效自
graph-valid-until = 有效至
graph-said-sleeps = { $id } 已忘掉：只有它说到的内容休眠，直到 `annals restore { $id }`

graph-nothing-around = { $name } 里，{ $entity } 周围什么都没有
graph-no-way-limit = 在达到 --{ $limit } 的上限之前，没有找到从 { $from } 到 { $to } 的路径
graph-no-way = 从 { $from } 到 { $to } 没有不超过 { $steps }的路径
graph-ways-between = { $several }；要查看其中两个之间的路径，请用编号指明
graph-one-entity = { $from } 和 { $to } 是同一个实体
graph-several = 有 { $count } 个实体都叫 { $name }：{ $numbers }
graph-more = 可能还有更多：已达到 --{ $cut } 的上限

graph-entities = 实体
graph-merged = 已合并
graph-triples = 三元组
graph-evidence = 证据
graph-links = 连接
graph-no-says = 这条记忆没有说到任何三元组
graph-no-clash = 没有与这条记忆矛盾的内容
graph-suspected = 疑似矛盾  { $other }  { $text }
graph-clash-against = {"  "}与之矛盾：{ $other }
graph-clash-said = {"  "}说到它的记忆：{ $memories }
graph-exported = 已把图导出到 { $file }

graph-linked = 已连接 { $from } { $relation } { $to }
graph-unlinked = 已取消连接 { $from } { $relation } { $to }
graph-no-such-link = 没有这个连接：{ $from } { $relation } { $to }
