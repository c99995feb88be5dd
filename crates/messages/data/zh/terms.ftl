# 库里的英文词。

## 字段

term-field-text = 文本
term-field-query = 问题
term-field-namespace = 命名空间的名称
term-field-kind = 类型
term-field-node-kind = 实体的类型
term-field-type = 类型
term-field-edge-type = 关系
term-field-layer = 层
term-field-status = 状态
term-field-role = 角色
term-field-tag = 标签
term-field-label = 名称
term-field-session = 会话
term-field-speaker = 说话人
term-field-source = 来源
term-field-importance = 重要度
term-field-confidence = 可信度
term-field-relation = 关系
term-field-validity = 有效期
term-field-time-range = 时间范围
term-field-time-zone = 时区
term-field-top-k = 结果条数（top-k）
term-field-min-score = 最低分（min-score）
term-field-minimum = 最小值
term-field-diversity = 多样性（diversity）
term-field-weight = 权重
term-field-similarity = 相似度
term-field-mode = 模式
term-field-reason = 理由
term-field-reply = 回复
term-field-attachment-caption = 附件说明
term-field-metadata = 自由字段
term-field-aliases = 别名
term-field-group = 组
term-field-duration = 时长
term-field-turn = 发言
term-field-degree = 程度
term-field-profile = 配置方案
term-field-tool = 工具
term-field-name-of-a-tool = 工具的名称

## 状态

term-status-staged = 暂存
term-status-active = 有效
term-status-archived = 已归档
term-status-forgotten = 已忘掉
term-status-superseded = 已被取代
term-status-expired = 已过期
term-status-ended = 已失效

## 角色和说话的一方

term-role-user = 用户
term-role-assistant = 助手
term-role-system = 系统
term-role-tool = 工具

## 遮盖的内容

term-secret-api-key = API 密钥
term-secret-password = 密码
term-secret-private-key = 私钥
term-secret-token = 令牌
term-secret-email = 电子邮箱
term-secret-phone = 电话号码
term-secret-iban = 国际银行账号
term-secret-card = 银行卡号
term-secret-national-id = 身份证号

## 作业的步骤

term-step-queue = 后台任务
term-step-decay = 衰减
term-step-rules = 规则
term-step-reviews = 裁定
term-step-dedup = 去重
term-step-relations = 找关系
term-step-conflicts = 找矛盾
term-step-consolidate = 巩固
term-step-expire = 过期
term-step-attachments = 附件
term-step-mirrors = 镜像文件
term-step-report = 报告
term-step-core-files = 记忆文件
term-step-user-files = 用户文件
term-step-take-over = 接收旧文件

## 后台任务

term-task-idle = 等待对话结束
term-task-derive = 重新推导
term-task-extract = 提取
term-task-compare = 比较
term-task-interpret = 解读
term-task-let-go = 删除

## 分数的来由

term-feature-own = 本身
term-feature-dense = 语义
term-feature-text = 词语
term-feature-window = 前后发言
term-feature-context = 对话前文
term-feature-speaker = 说话人
term-feature-time = 时间
term-feature-asks-time = 问及时间
term-feature-answers = 是回答
term-feature-graph = 图
term-feature-importance = 重要度
term-feature-recency = 新近
term-feature-usage = 使用
term-feature-validity = 有效期
term-feature-confidence = 可信度
term-feature-role = 角色
term-feature-tells = 内容充实度

term-channel-text = 词语
term-channel-vector = 语义
term-channel-neighbour = 相邻发言
term-channel-time = 时间
term-channel-graph = 图
term-channel-node = 实体

## 合并的理由

term-reason-by-hand = 手动合并
