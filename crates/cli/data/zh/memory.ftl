# 命令 remember、list、show、edit、forget、restore、archive、delete、undo、used 的文字。

memory-temporary = 会话 { $session } 是临时会话：其中的内容都不保留
memory-temporary-advice = `annals session temporary { $session } off` 结束这种状态
memory-known = 这条记忆已经有了
memory-replaced = 已有的一条记忆改成了这句话，原来的内容在它的历史里
memory-known-keeps = 这条记忆已经有了，保留原来的 { $kept }；要修改请用 `annals edit`
memory-for-bad = --for { $keep } 不是可以保存的时长
memory-for-words = 写成小时、天或周，例如 36h、7d 或 2w{ $words ->
    [none] {""}
   *[other] ；也可以用配置方案的词：{ $words }
}

memory-meta-bad = --meta { $pair } 里没有 `=`
memory-meta-words = 写成 KEY=VALUE

memory-list-none = { $name } 里没有符合条件的记忆
memory-kind-missing = 这里没有类型为 { $kind } 的记忆；现有的类型：{ $there }
memory-kind-not-of-profile = { $kind } 不是配置方案 { $profile } 的类型，它的类型有 { $known }；可用 `annals edit --kind` 改正
memory-kind-new = { $kind } 是这里的新类型；如果想写的是 { $near }，可用 `annals edit --kind { $near }` 改正
memory-list-page = 共 { $total } 条记忆，这里是 { $memories } 条；下一页：--after { $next }

memory-score = 分数
memory-retention = 保持度
memory-class = 类别
memory-used = 使用
memory-used-returned = { $used }，检索到 { $returned }
memory-last-access = 最近访问
memory-due = 下次检查
memory-source-deleted = （已删除）
memory-revised = 修改
memory-stale-since = 待重新推导
memory-stale-why = 自 { $at } 起：有一个来源被删除
memory-revision-until = 版本 { $revision }，到 { $until } 为止

memory-edit-none = 没有任何改动
memory-edit-asleep = 早先文本的 { $count }转入休眠：{ $asleep }；`annals graph explain` 查看，`annals graph add` 可重新加入
memory-edit-no-tag = 这条记忆没有标签 { $tag }
memory-edit-no-field = 这条记忆没有字段 { $key }
memory-edit-nothing = 没有给出要修改的内容；见 `annals edit --help`
memory-edit-no-editor = 没有给出要修改的内容，$VISUAL 和 $EDITOR 也没有指定编辑器
memory-edit-set-editor = 请设置 EDITOR=nano，或用 --text 给出文本
memory-edit-cannot = 无法用 { $editor } 编辑：{ $cause }
memory-edit-ended = { $editor } 以 { $status } 结束；没有任何改动
memory-edit-text = 编辑后的文本

memory-used-nothing = 已记下：{ $id } 派上了用场，但没有变化：{ $why }
memory-used-same = 已记下：{ $id } 派上了用场
memory-used-score = 已记下：{ $id } 派上了用场：分数 { $before } → { $after }
memory-why-cooldown = 距上一次计入还不到 { $cooldown_seconds } 秒
memory-why-day = 已达到每天的上限 { $cap_per_day }
memory-why-session = 在这次会话里已经计入过
memory-why-signal = 这个配置方案按另一种信号强化（reinforce.signal）
memory-nothing-selected = 请给出编号，或用 --tag、--session、--until 等筛选条件
memory-word-forgotten = 忘掉
memory-was-already = { $id } 已经是“{ $status }”

memory-undo = 已撤回 { $undone }
memory-undo-opened = 重新有效：{ $id }
memory-undo-stored = 存入
memory-undo-edited = 修改
memory-undo-forgotten = 隐藏操作
memory-undo-archived = 归档
memory-undo-restored = 恢复
memory-undo-adjusted = 权重调整
memory-undo-linked = 连接
memory-undo-told = 重复述说
memory-undo-synced = 文件修改
memory-undo-verdict = 裁定
memory-undo-of = { $at } 的{ $change }
memory-undo-cannot = 无法撤回：{ $why }
memory-undo-gone = 已删除
memory-undo-says = 恢复为原来的内容
memory-undo-traits = 文本未变，其他内容恢复原样
memory-undo-known = 之前已有，保持不变
memory-undo-status = 恢复为“{ $status }”

memory-delete-everything = 删除全部：`annals delete --all`；连命名空间一起删除：`annals namespace delete NAME`
memory-delete-queued = 已列为 `annals queue list` 的第 { $number } 号：只要有程序打开这个文件，就会分批删除；`annals jobs run` 则一次删完
memory-word-deleted = 删除
memory-delete-kept = 略过 { $id }：配置方案要保留它
memory-delete-unknown = 没有记忆 { $word }

memory-forgotten = 已忘掉 { $id }
memory-archived = 已归档 { $id }
memory-restored = 已恢复 { $id }

memory-undo-line = { $id } { $is }：{ $text }

## 记忆经历的步骤；英文词来自库

memory-step-stored = 存入
memory-step-derived = 推导
memory-step-stale = 失去来源
memory-step-revised = 修改
memory-step-said = 说到
memory-step-merged = 合并
memory-step-linked = 连接
memory-step-consolidated = 巩固
memory-step-status = 状态
memory-step-decided = 决定
memory-step-used = 使用

## 各步骤的细节；英文说法来自库

memory-what-stored = 类型 { $kind }，第 { $revision } 版
memory-what-stored-from = 类型 { $kind }，来源 { $source }，第 { $revision } 版
memory-what-stored-in = 类型 { $kind }，会话 { $session }，第 { $revision } 版
memory-what-stored-from-in = 类型 { $kind }，来源 { $source }，会话 { $session }，第 { $revision } 版
memory-what-derived = 来自 { $sources }
memory-what-derived-deleted = 来自 { $sources }（其中已删除：{ $deleted }）
memory-what-stale = 失去一个来源，将从剩下的来源重新推导
memory-what-status = 从 { $from } 变为 { $to }
memory-what-status-file = 从 { $from } 变为 { $to }，已从 { $file } 中移除
memory-what-used = 使用 { $used } 次，返回 { $returned } 次
memory-what-decided = 决定 { $number }：{ $question }，答 { $answer }，由 { $by } 作出 { $reason }
memory-what-undecided = 决定 { $number } 已撤回
memory-what-merged = [{ $source }] 并入 [{ $name }]：{ $reason }
memory-what-linked-to = { $relation } 指向 { $id }
memory-what-linked-from = { $relation } 来自 { $id }
