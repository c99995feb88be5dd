# 命令 recall、context 以及结果由来的文字。

recall-below-floor = 分数太低
recall-newer = 已被 { $newer } 更新
recall-newer-text = 已被“{ $begins }”更新
recall-words = 词语：{ $words }
recall-found-by = 找到它的途径：{ $channels }
recall-names-time = 文中提到 { $time }
recall-by-entity = ，经由 { $name }
recall-near-0 = 图：问题中提到或直接找到{ $by }
recall-near-1 = 图：相隔 1 步{ $by }
recall-near-steps = 图：相隔 { $steps } 步{ $by }
recall-graph-mode = 图：模式 { $mode }
recall-graph-named = 提到 { $names }
recall-graph-passed = 略过 { $names }（与之相关的太多）
recall-graph-no-start = 没有展开：没有起点
recall-graph-not-followed = 没有展开
recall-graph-followed-1 = 展开 1 步
recall-graph-followed = 展开 { $steps } 步
recall-graph-because-word = { $steps }，因为问题中有 { $word }
recall-graph-because-likeness = { $steps }，因为最高的相似度是 { $best }
recall-graph-by = 关系：{ $relations }
recall-graph-cut = 因达到上限而提前结束
recall-why-returned = 它在结果里，排在第 { $rank } 位。
recall-why-missing = 这个命名空间里没有这个编号的记忆。
recall-why-filtered = 它没有通过筛选：{ $mismatch }。
recall-why-against = ，而最后一条结果是 { $score }
recall-why-no-candidate = 按词语和按意思都没有找到它；它本来会得 { $score } 分{ $against }。
recall-why-below = 它的分数 { $score } 低于下限 { $min_score }。
recall-why-outranked = 别的记忆更合适：它得 { $score } 分，排在第 { $rank } 位。
recall-why-alike = 它与一条更好的结果太相似；它得 { $score } 分，排在第 { $rank } 位。
recall-why-other = 它因别的原因没有列出。

recall-why-not-one-namespace = --why-not 只能用于一个命名空间；--namespace 只能给一次
recall-none-scores = 没有记忆达到要求的最低分 { $least }；--min-score 0 会把分数较低的也列出来
recall-none = 没有记忆能回答这个问题；`annals list` 列出已有的记忆
recall-near-link-to = ，经由指向它的连接（{ $relation }）
recall-near-link-from = ，经由从它出发的连接（{ $relation }）
recall-unlikely = 这里很可能没有能回答这个问题的记忆（概率 { $probability }，低于放进提示词所需的 { $least }）；最接近的是：
recall-below = { $count } 条结果的分数低于放进提示词所需的 { $most }：`annals context` 不会列出它们

recall-context-none = 记忆里没有适合放进这个提示词的内容
recall-no-relation = 这里的连接没有关系 { $relation }；可以是：{ $known }
