# 错误的原因。英文说法在各个库里。

cause-at-line = 第 { $line } 行：{ $cause }
cause-at-message = 第 { $message } 条消息：{ $cause }
cause-at-turn = 发言 { $turn }：{ $cause }

cause-value-empty = { $field } 为空；请至少给出一个可见字符
cause-value-too-long = { $field } 有 { $bytes } 字节；最多允许 { $limit } 字节
cause-value-too-many = { $field } 有 { $count } 项；最多允许 { $limit } 项
cause-value-bad-label = { $field } { $value } 含有控制字符，或以空白开头或结尾；请去掉
cause-value-unknown = { $field } 不能是 { $value }；可以是：{ $allowed }
cause-value-out-of-range = { $field } 是 { $value }；必须是 { $min } 到 { $max } 之间的数
cause-value-bad-time = { $value } 不是日期或时间；请写成 2026-01-03、2026-01-03T18:00:00 或 2026-01-03T18:00:00+01:00
cause-value-bad-id = { $value } 不是记忆编号；编号形如 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
cause-value-backwards = { $field } 的结束（{ $end }）早于开始（{ $start }）
cause-value-too-deep = 元数据 { $key } 的嵌套超过 { $limit } 层

cause-line-not-text = 不是 UTF-8：第 { $byte } 个字节不是文字
cause-line-several-sessions = 同一份列表里的消息写了不同的会话

cause-json-ends = 不是完整的 JSON：内容在中途结束
cause-json-syntax = 不是 JSON：第 { $column } 个字符不该出现在那里
cause-json-missing = 缺少字段 `{ $field }`
cause-json-unknown = 没有字段 `{ $field }`；可用的字段有：{ $known }
cause-json-kind-text = `{ $field }` 是 { $given }；必须是一段文字
cause-json-kind-whole = `{ $field }` 是 { $given }；必须是整数
cause-json-kind-number = `{ $field }` 是 { $given }；必须是数
cause-json-kind-boolean = `{ $field }` 是 { $given }；必须是 true 或 false
cause-json-kind-list = `{ $field }` 是 { $given }；必须是列表
cause-json-kind-object = `{ $field }` 是 { $given }；必须是对象
cause-json-kind-time = `{ $field }` 是 { $given }；必须是 "2026-01-31T18:00:00Z" 这样的时间，或自 1970 年起的秒数或毫秒数
cause-json-kind-id = `{ $field }` 是 { $given }；必须是文字或数
cause-json-kind-any = `{ $field }` 不能是 { $given }
cause-json-word = `{ $field }` 是 { $given }；可以是：{ $allowed }
cause-json-other = `{ $field }` 的值不能使用

cause-record-no-namespace = 没有命名空间 { $name }；请新建，或核对名称
cause-record-namespace-exists = 命名空间 { $name } 已经存在；请换一个名称
cause-record-not-found = 这个命名空间里没有记忆 { $id }
cause-record-no-origin = 记忆 { $id } 的来源 { $origin } 不在这个命名空间里
cause-record-own-origin = 记忆 { $id } 不能以自己为来源；请指定另一条记忆
cause-record-id-taken = 编号 { $id } 已属于内容不同的另一条记忆；请换一个编号导入，或修改那条记忆
cause-record-superseded = 记忆 { $id } 已被取代；请修改取代它的那一条
cause-record-superseded-by = 记忆 { $id } 已被 { $by } 取代；请修改后者

cause-profile-unknown-zone = 这个系统没有时区 { $name }；请写成 Europe/Berlin 这样
cause-profile-unknown-kind = 配置方案没有类型 { $kind }；可以是：{ $allowed }
cause-profile-no-kind = 在这个配置方案下记忆必须有类型：{ $allowed }
cause-profile-unknown-source = 配置方案没有来源 { $name }；可以是：{ $allowed }
cause-profile-unknown-class = 配置方案没有类别 { $class }；可以是：{ $allowed }
cause-profile-no-job = 配置方案没有作业 { $name }
cause-profile-no-task = 没有任务 { $task }
cause-profile-claimed = 任务 { $task } 正在处理，最迟到 { $until }；请在那之后再试
cause-profile-no-review = 这条记忆没有等待审核

cause-graph-no-entity = 这个命名空间里没有实体 { $number }
cause-graph-no-triple = 这个命名空间里没有三元组 { $number }
cause-graph-no-merge = 这个命名空间里没有可撤销的合并 { $number }
cause-graph-self-tie = 记忆不能与自己相连；请指定另一条记忆
cause-graph-same-entity = 实体 { $number } 与自己已经是同一个
cause-graph-no-relation = 记忆之间没有关系 { $name }；可以是：{ $allowed }
cause-graph-bad-cursor = 这个游标不属于这次查询；请不带游标重新开始
cause-graph-no-memory = 没有名为 { $name } 的记忆；请先导入记忆

cause-storage-full = 磁盘空间已用完；请腾出一些空间再试
cause-storage-repeated = 这次调用至少有一部分已由另一个进程完成，但它在答复前结束了；没有重复执行：请查看结果，缺少的部分请重新调用
cause-storage-read-only = { $path } 不能写入；请给这个用户写入该文件及其文件夹的权限
cause-storage-no-folder = { $path }：它的文件夹不存在；请先新建
cause-storage-not-a-file = { $path } 不是普通文件；请指定一个文件
cause-storage-foreign = { $path } 属于{ $owner }，对方能读取和改动其中的内容；请使用自己的文件，放在只有自己能写的文件夹里，或用 ANNALS_ALLOW_FOREIGN=1 允许使用它
cause-storage-not-a-database = { $path } 不是本程序的数据库；请指定另一个文件，这个文件没有改动
cause-storage-too-new = { $what }：格式版本 { $found } 比本程序所知的最新版本 { $supported } 还新；请使用更新版本的程序
cause-storage-too-old = { $what }：格式版本 { $found } 比本程序能迁移的最旧版本 { $supported } 还旧；请先用旧版本的程序迁移
cause-storage-file-exists = { $path } 已经存在；请指定另一个文件，或让它被替换
cause-storage-opened-read-only = 文件是以只读方式打开的；请以可写方式打开
cause-storage-poisoned = 先前的故障使数据库停止使用；请重新打开这个文件
