"""Fills a server with the sample conversation and memories of each design, and takes the pictures of docs/page.

    ANNALS=target/debug/annals python3 crates/server/page-tests/stage.py docs/page
"""
import pathlib
import sys

from harness import Server, browser

ROOT = pathlib.Path(__file__).resolve().parents[3]
FACTS = [
    ("Wei has worked at Fernlicht since 2 March", "Lin Wei", "works at", "Fernlicht"), ("Wei lives in Berlin", "Lin Wei", "lives in", "Berlin"),
    ("Wei's cat is called Mantou", "Lin Wei", "has cat", "Mantou"), ("Lin Hao is Wei's brother", "Lin Hao", "brother of", "Lin Wei"),
    ("Lin Hao studies in Chengdu", "Lin Hao", "studies in", "Chengdu"), ("Wei writes TypeScript", "Lin Wei", "writes", "TypeScript"),
    ("Wei builds Tidemark", "Lin Wei", "builds", "Tidemark"), ("Tidemark is made with Nuxt", "Tidemark", "made with", "Nuxt 3"),
    ("Priya works at Fernlicht", "Priya", "works at", "Fernlicht"), ("Xiaoman gave Wei Piranesi", "Xiaoman", "gave", "Piranesi"),
    ("Wei reads Piranesi", "Lin Wei", "read", "Piranesi"), ("Xiaoman is Wei's friend", "Xiaoman", "friend of", "Lin Wei"),
]
STUDIO = [
    ("正在调试登录页面的样式", "context", 0.4), ("回答时先给结论，再给理由", "preference", 0.75), ("发布前先在预发环境跑一遍迁移脚本", "lesson", 0.65),
    ("对青霉素过敏", "fact", 0.95), ("偏爱深色主题和等宽字体", "preference", 0.5), ("三月底前搬到莫阿比特的新公寓", "goal", 0.6),
    ("Docker 构建需要使用 proxy-env 代理", "lesson", 0.8), ("正在开发 MJ Studio 多模态 AI 工作台", "fact", 0.85), ("喜欢函数式编程，多用组合少用继承", "preference", 0.9),
]
COMPANION = [
    ("用户叫林薇，出生在苏州", "core"), ("用户在柏林的 Fernlicht 做前端", "fact"), ("用户的橘猫叫馒头，五岁", "fact"),
    ("用户去年学过三个月滑冰", "fact"), ("用户曾打算把猫留在国内半年", "fact"),
]
PROMPTS = [
    ("claude-code", "which framework does Tidemark use?"), ("codex", "does Wei still have the cat?"), ("mcp", "when does Wei start at Fernlicht?"),
    ("claude-code", "what does Wei want me to do before a commit?"), ("claude-code", "which book did Xiaoman give me?"),
]
PICTURES = {
    "overview": "overview", "memories": "memories?ns=user:42", "search": "memories?ns=lin-wei&q=cat", "ask": "ask?ns=lin-wei&q=where+does+Wei+live",
    "facts": "facts?ns=lin-wei", "conversations": "conversations?ns=lin-wei&session=s05", "review": "review?ns=wei:companion&tab=reviews",
    "graph": "graph?ns=lin-wei&of=Lin+Wei", "injected": "injected?ns=lin-wei", "changes": "facts?ns=lin-wei&tab=changes", "weights": "ask?ns=lin-wei&q=where+does+Wei+live&w=text:0.4", "import": "import?ns=lin-wei", "work": "work?ns=lin-wei&tab=jobs", "statistics": "statistics?ns=lin-wei", "settings": "settings?ns=lin-wei",
}
# Each screen once in each width; themes and languages in turn, so that every one of them is seen on each width.
LOOKS = [(1280, "light", "en"), (390, "dark", "zh"), (1280, "dark", "zh"), (390, "light", "en")]


def fill(server):
    server.run("-n", "lin-wei", "import", str(ROOT / "crates/cli/data/sample.json"))
    for number, (text, subject, predicate, thing) in enumerate(FACTS):
        memory = server.add("lin-wei", text, event_time=f"2026-{1 + number % 3:02}-{3 + 2 * number:02}T10:00:00Z")
        server.run("-n", "lin-wei", "graph", "add", memory, subject, predicate, thing)
    for agent, message in PROMPTS:
        server.call("POST", "/v1/namespaces/lin-wei/context", {"message": message, "agent": agent, "session": "s37"})
    server.call("PUT", "/v1/namespaces/user:42", {"profile": "studio"})
    source = {"source_conversation": 42, "source_message": 7}
    ids = [server.add("user:42", text, kind=kind, importance=weight, metadata=source) for text, kind, weight in STUDIO]
    server.run("-n", "user:42", "used", *ids[-3:])
    server.call("POST", f"/v1/namespaces/user:42/memories/{ids[4]}/forget")
    server.call("PUT", "/v1/namespaces/wei:companion", {"profile": "companion"})
    ids = [server.add("wei:companion", text, kind=kind, source="background_ai") for text, kind in COMPANION]
    for memory in ids[3:]:
        server.run("-n", "wei:companion", "edit", memory, "--importance", "0.1")
    server.call("POST", "/v1/maintain", {"force": True})


def take(server, folder):
    for width, theme, language in LOOKS:
        context = browser().new_context(viewport={"width": width, "height": 860}, color_scheme=theme, timezone_id="UTC",
                                        locale="zh-CN" if language == "zh" else "en-GB")
        context.add_init_script(f"localStorage.setItem('annals-hints-seen', 'yes'); sessionStorage.setItem('annals-token', '{server.token}')")
        page = context.new_page()
        for name, route in PICTURES.items():
            page.goto(f"{server.url}/#/{route}")
            page.locator("h1").wait_for()
            page.wait_for_timeout(1500)
            page.screenshot(path=str(folder / f"{name}-{'wide' if width > 800 else 'phone'}-{theme}-{language}.png"))
        context.close()


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    stage = Server()
    try:
        fill(stage)
        take(stage, place)
    finally:
        stage.stop()
