# 命令 review 的文字。

review-nothing-decided = 还没有作出任何决定
review-taken-back = ，{ $at } 已撤回
review-decision = { $number }  { $at }  { $question }？{ $answer }，由 { $by } 决定{ $undone }
review-decision-memory = {"   "}记忆  { $id }
review-decision-reason = {"   "}理由  { $reason }
review-decision-did = {"   "}改动  { $change }
review-undone = 已撤回决定 { $number }

review-decay = 可以删去吗？
review-promote = 要永久保留吗？
review-see-proposals = { $count }；见 `annals review proposals`
review-see-pairs = { $count }可能互相矛盾；见 `annals review contradictions`
review-none = 没有等待裁定的记忆
review-next-attempt = ；下次尝试 { $at }
review-no-verdict = 裁判对 { $memories }没有给出裁定：{ $reason }{ $next }
review-no-pairs = 没有疑似矛盾的记忆等待裁定
review-settle = 用 `annals review contradicts` 或 `compatible` 加上两个编号（上面的在前）作出裁定
review-no-proposals = 没有待处理的提议
review-accepted = 已接受 { $id }
review-remembered = 已记住 { $memory }
review-rejected = 已拒绝 { $id }
review-no-doubt = 没有存疑的记忆
review-no-wait = 记忆 { $id } 不在等待裁定
review-no-wait-advice = `annals review list` 列出等待裁定的记忆

review-contradicts = { $newer } 与 { $older } 矛盾
review-compatible = { $newer } 与 { $older } 可以同时成立
review-promoted = 已永久保留 { $id }
review-kept = 已保留 { $id }
review-deleted = 已删除 { $id }

## 决定所回答的问题；英文词来自库

review-question-may_go = 可以删去
review-question-keep_for_good = 永久保留
review-question-same = 说的相同
review-question-contradicts = 互相矛盾
review-question-cause = 是其原因
review-question-still_true = 仍然为真
review-question-worthwhile = 值得保留
review-question-changed = 已改变
