# 命令 jobs 的文字。

jobs-every-profile = 所有配置方案
jobs-would-do = { $profile }：按规则现在会做的事
jobs-due-nothing = 无
jobs-due = 到期
jobs-why-resume = 失败后继续
jobs-why-start = 启动时
jobs-why-first = 从未运行过
jobs-why-interval = 间隔已到
jobs-why-hour = 到了设定的钟点
jobs-why-event = 会话结束时
jobs-why-asked = 手动运行
jobs-no-folder = 略过：没有设置存放其文件的文件夹；见 `annals jobs run --help`
jobs-not-made = 略过：这个版本不做这一步
jobs-step-failed = 失败
jobs-next-attempt = ；下次尝试 { $at }
jobs-nothing-to-do = 无事可做
jobs-now = 现在
jobs-at-event = 等待事件

jobs-none = 各命名空间的配置方案都没有作业
jobs-stopped = 已停止
jobs-failed = 已失败 { $times }：{ $error }
jobs-cut-off = 中途被打断
jobs-put-off = { $step } 已推迟：{ $error }

jobs-clock-ahead = { $namespace }：从 { $from } 到 { $to } 没有使用过，时钟可能走快了：不会因为时间久而归档或删除任何内容；如果时钟是对的，用 `annals jobs trust-clock` 确认
jobs-clock-trusted = { $namespace }：已确认从 { $from } 到 { $to } 这段时间有效
jobs-clock-right = 时钟没有疑问
jobs-nothing-due = 没有到期的作业
jobs-background = 后台任务：{ $troubles }；见 `annals queue list`
jobs-job-failed = 有一个作业失败：{ $error }
jobs-job-failed-advice = 已完成的部分保留；`annals jobs run` 继续其余的

jobs-stopped-job = 已停止 { $profile } 的 { $job }
jobs-resumed-job = 已恢复 { $profile } 的 { $job }

jobs-count-passes = { $count } 轮

## 各步骤的计数；英文词来自引擎

jobs-count-examined = 检查 { $count } 条
jobs-count-archived = 归档 { $count } 条
jobs-count-forgotten = 忘掉 { $count } 条
jobs-count-activated = 恢复有效 { $count } 条
jobs-count-lowered = 降低 { $count } 条
jobs-count-moved-to-another-class = 改变类别 { $count } 条
jobs-count-sent-to-review = 提请裁定 { $count } 条
jobs-count-deleted = 删除 { $count } 条
jobs-count-changed = 修改 { $count } 条
jobs-count-ended = 失效 { $count } 条
jobs-count-merged = 合并 { $count } 个
jobs-count-checked = 检查 { $count } 个
jobs-count-linked = 连接 { $count } 个
jobs-count-duplicates = 重复 { $count } 条
jobs-count-contradictions = 矛盾 { $count } 对
jobs-count-forgotten-per-thousand = 每千条忘掉 { $count } 条
jobs-count-consolidated = 巩固 { $count } 条
jobs-count-discovered = 发现 { $count } 个
jobs-count-waiting = 等待 { $count } 项
jobs-count-gone = 已不在 { $count } 项
jobs-count-interpreted = 解读 { $count } 条
jobs-count-talking = 对话中 { $count } 项
jobs-count-cancelled = 取消 { $count } 项
jobs-count-failed = 失败 { $count } 项
jobs-count-extracted = 提取 { $count } 个对话片段
jobs-count-derived = 重新推导 { $count } 条
jobs-count-suspected = 疑似 { $count } 对
jobs-count-memories = 记忆 { $count } 条
jobs-count-kept = 保留 { $count } 条
jobs-count-active = 有效 { $count } 条
jobs-count-weak = 较弱 { $count } 条
jobs-count-compared = 比较 { $count } 项
jobs-count-closed = 结束 { $count } 个会话
jobs-count-suspicions = 疑似矛盾 { $count } 对
jobs-count-promoted = 提升 { $count } 条
jobs-count-reviewed = 裁定 { $count } 条
jobs-count-compare-failed = 比较失败 { $count } 项
jobs-count-derive-failed = 推导失败 { $count } 项
jobs-count-idle-failed = 空闲任务失败 { $count } 项
jobs-count-interpret-failed = 解读失败 { $count } 项

jobs-count-in = { $namespace } 有 { $count } 条
jobs-count-of-kind = 类型 { $kind } { $count } 条
jobs-count-files = 文件 { $count } 个
jobs-count-to-look-at = 待检查 { $count } 条
jobs-count-to-consolidate = 待巩固 { $count } 条
jobs-count-not-judged = 未判断 { $count } 对
jobs-count-judged = 判断 { $count } 对
jobs-count-namespaces-above-the-target = 超出目标的命名空间 { $count } 个
jobs-count-let_go-failed = 删除失败 { $count } 项
