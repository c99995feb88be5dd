"""The page under the profiles of the designs: their labels, their tabs, their numbers."""
import pathlib
import unittest

from harness import PageTest, expect

STUDIO = [
    ("喜欢函数式编程，多用组合少用继承", "preference", 0.9),
    ("正在开发 MJ Studio 多模态 AI 工作台", "fact", 0.85),
    ("Docker 构建需要使用 proxy-env 代理", "lesson", 0.8),
    ("今年要跑完一次半程马拉松", "goal", 0.7),
    ("正在调试登录页面的样式", "context", 0.4),
]


class Studio(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.call("PUT", "/v1/namespaces/studio", {"profile": "studio"})
        cls.ids = {kind: cls.server.add("studio", text, kind=kind, importance=importance) for text, kind, importance in STUDIO}

    def test_the_filters_are_those_of_the_design_and_situations_are_among_all_only(self):
        # spec: S-106
        page = self.go(self.open(language="zh"), "#/memories?ns=studio")
        expect(page.locator(".chip")).to_have_text(["全部", "偏好", "事实", "教训", "目标"])
        expect(page.locator(".card")).to_have_count(5)
        expect(page.locator(".card", has_text="正在调试登录页面的样式")).to_be_visible()
        for label, kind in [("偏好", "preference"), ("事实", "fact"), ("教训", "lesson"), ("目标", "goal")]:
            page.locator(".chip", has_text=label).click()
            expect(page.locator(".card")).to_have_count(1)
            expect(page.locator(".card")).to_have_attribute("data-id", self.ids[kind])

    def test_a_card_has_all_that_the_design_shows(self):
        # spec: S-107
        self.server.run("-n", "studio", "used", self.ids["preference"])
        page = self.go(self.open(language="zh"), "#/memories?ns=studio")
        labels = {"preference": "🎨 偏好", "fact": "💡 事实", "lesson": "⚠️ 教训", "goal": "🎯 目标", "context": "📎 情境"}
        for text, kind, importance in STUDIO:
            card = page.locator(f'[data-id="{self.ids[kind]}"]')
            expect(card.locator(".kind")).to_have_text(labels[kind])
            expect(card.locator(".meta")).to_contain_text("刚刚")
            expect(card.locator(".card-text")).to_have_text(text)
            expect(card).to_contain_text(f"重要性：{round(importance * 100)}%")
            expect(card).to_contain_text(f"访问：{1 if kind == 'preference' else 0}次")
            expect(card.get_by_role("button", name="删除")).to_be_visible()

    def test_times_are_told_as_the_design_does(self):
        # spec: S-107
        page = self.go(self.open(language="zh"), "#/memories?ns=studio")
        told = page.evaluate("""async () => {
            const { ago } = await import('/page/language.js');
            return [3, 7].map((days) => ago(new Date(Date.now() - days * 864e5)));
        }""")
        self.assertEqual(told, ["3天前", "1周前"])

    def test_the_source_leads_to_the_turn_in_its_conversation(self):
        # spec: S-109
        memory = self.server.add("studio", "偏爱深色主题", kind="preference", metadata={"source_conversation": 42, "source_message": 7})
        page = self.go(self.open(language="zh"), "#/memories?ns=studio")
        link = page.locator(f'[data-id="{memory}"] [data-source]')
        href = link.get_attribute("href")
        self.assertIn("session=42", href)
        self.assertIn("at=7", href)
        link.click()
        expect(page.get_by_role("heading", name="42")).to_be_visible()
        self.server.call("DELETE", f"/v1/namespaces/studio/memories/{memory}")

    def test_everything_is_cleared_after_one_was_asked(self):
        # spec: S-105
        self.server.call("PUT", "/v1/namespaces/cleared", {"profile": "studio"})
        for number in range(25):
            self.server.add("cleared", f"记忆{number}：第{number * 3}号仓库的钥匙在抽屉里")
        page = self.go(self.open(language="zh"), "#/memories?ns=cleared")
        page.get_by_label("搜索记忆").fill("第72号仓库")
        expect(page.locator(".card").first).to_contain_text("第72号仓库")
        page.get_by_label("搜索记忆").fill("")
        expect(page.locator(".card")).to_have_count(20)
        page.get_by_role("button", name="清空所有记忆").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("25 条记忆")
        dialog.get_by_role("button", name="取消").click()
        self.assertEqual(len(self.server.texts("cleared")), 25)
        page.get_by_role("button", name="清空所有记忆").click()
        page.get_by_role("dialog").get_by_role("button", name="清空所有记忆").click()
        expect(page.locator(".card")).to_have_count(0)
        expect(page.get_by_text("还没有记忆")).to_be_visible()
        self.assertEqual(self.server.texts("cleared"), [])

    def test_important_memories_that_are_not_sure_wait_for_a_person(self):
        # spec: S-121
        self.server.call("PUT", "/v1/namespaces/doubt", {"profile": "studio"})
        doubtful = self.server.add("doubt", "对青霉素过敏", importance=0.95, confidence=0.4)
        self.server.add("doubt", "喜欢蓝色", importance=0.5, confidence=0.4)
        self.server.add("doubt", "住在杭州", importance=0.95, confidence=0.9)
        page = self.go(self.open(language="zh"), "#/review?ns=doubt&tab=doubtful")
        expect(page.locator("#queue .item")).to_have_count(1)
        expect(page.locator("#queue")).to_contain_text("对青霉素过敏")
        page.keyboard.press("a")
        expect(page.get_by_text("没有存疑的记忆")).to_be_visible()
        self.assertTrue(self.server.get("doubt", doubtful)["verified"])


class Companion(PageTest):
    def test_the_tabs_are_those_of_the_design(self):
        # spec: C-128, C-129, C-130, C-131
        self.server.call("PUT", "/v1/namespaces/tabs", {"profile": "companion"})
        page = self.go(self.open(language="zh"), "#/memories?ns=tabs")
        expect(page.get_by_role("tab")).to_have_text(["查看/编辑", "添加", "统计", "批量删除"])

    def test_a_core_memory_is_added_by_its_user(self):
        # spec: C-129
        self.server.call("PUT", "/v1/namespaces/added", {"profile": "companion"})
        page = self.go(self.open(language="zh"), "#/memories?ns=added&tab=add")
        page.locator("textarea[name=text]").fill("用户的生日是五月三日")
        page.locator("select[name=kind]").select_option("core")
        page.get_by_role("button", name="记住", exact=True).click()
        expect(page.locator(".notice")).to_contain_text("我记住了")
        stored = self.server.call("GET", "/v1/namespaces/added/memories")["memories"]
        self.assertEqual([(one["kind"], one["source"]) for one in stored], [("core", "user")])

    def test_the_statistics_count_by_kind_and_are_exported_as_text(self):
        # spec: C-130
        self.server.call("PUT", "/v1/namespaces/counted", {"profile": "companion"})
        texts = ["叫林薇", "出生在苏州", "养了一只橘猫", "在柏林工作", "每周跑步三次", "昨天去看了牙医"]
        for text, kind in zip(texts, ["core"] * 2 + ["fact"] * 3 + ["episode"]):
            self.server.add("counted", text, kind=kind)
        page = self.go(self.open(language="zh"), "#/memories?ns=counted&tab=statistics")
        for kind, count in [("core", "2"), ("fact", "3"), ("episode", "1")]:
            expect(page.locator(f'[data-count="{kind}"] .num')).to_have_text(count)
        with page.expect_download() as saved:
            page.locator("#export-txt").click()
        lines = pathlib.Path(saved.value.path()).read_text("utf-8").strip().split("\n")
        self.assertEqual(len(lines), 6)
        self.assertEqual(sorted(line.split("\t")[-1] for line in lines), sorted(texts))
        self.assertEqual(sorted(line.split("\t")[1] for line in lines), ["core"] * 2 + ["episode"] + ["fact"] * 3)
        with page.expect_download() as saved:
            page.locator("#export-json").click()
        self.assertIn("昨天去看了牙医", pathlib.Path(saved.value.path()).read_text("utf-8"))

    def test_several_ids_are_deleted_and_core_ones_are_skipped(self):
        # spec: C-131
        self.server.call("PUT", "/v1/namespaces/batch", {"profile": "companion"})
        ids = [self.server.add("batch", text, kind=kind) for text, kind in
               [("在读《皮拉内西》", "fact"), ("喝了三杯咖啡", "episode"), ("名字叫林薇", "core"), ("想养第二只猫", "fact")]]
        page = self.go(self.open(language="zh"), "#/memories?ns=batch&tab=batch")
        page.locator("textarea[name=ids]").fill(f"{ids[0]}, {ids[1]} {ids[2]}\n{ids[3]}")
        page.get_by_role("button", name="查看将删除的内容").click()
        expect(page.locator("#batch-report")).to_contain_text("将删除 3 条")
        self.assertEqual(len(self.server.texts("batch")), 4)
        page.get_by_role("button", name="删除 3 条").click()
        report = page.locator("#batch-report")
        expect(report.locator("strong")).to_have_text("已删除 3 条")
        expect(report).to_contain_text("跳过 1 条受保护的记忆")
        expect(report).to_contain_text(ids[2])
        self.assertEqual(self.server.texts("batch"), ["名字叫林薇"])

    def test_system_ones_and_repeated_and_unknown_ids_are_told(self):
        # spec: C-132
        self.server.call("PUT", "/v1/namespaces/lists", {"profile": "companion"})
        one = self.server.add("lists", "今天下雨了", kind="fact")
        system = self.server.add("lists", "系统规则：说话要简短", kind="system")
        page = self.go(self.open(language="zh"), "#/memories?ns=lists&tab=batch")
        page.locator("textarea[name=ids]").fill(f"{one}，{one} mem_x {system}")
        page.get_by_role("button", name="查看将删除的内容").click()
        page.get_by_role("button", name="删除 1 条").click()
        report = page.locator("#batch-report")
        expect(report.locator("strong")).to_have_text("已删除 1 条")
        expect(report).to_contain_text("1 个未知 ID： mem_x")
        expect(report).to_contain_text(system)
        self.assertEqual(self.server.texts("lists"), ["系统规则：说话要简短"])

    def test_a_review_is_listed_and_what_is_kept_has_half_its_score(self):
        # spec: C-133
        self.server.call("PUT", "/v1/namespaces/fading", {"profile": "companion"})
        memory = self.server.add("fading", "用户去年在学滑冰", kind="fact", source="background_ai")
        self.server.run("-n", "fading", "edit", memory, "--importance", "0.1")
        self.server.call("POST", "/v1/maintain", {"force": True})
        page = self.go(self.open(language="zh"), "#/review?ns=fading&tab=reviews")
        item = page.locator("#queue .item")
        expect(item).to_contain_text("用户去年在学滑冰")
        expect(item).to_contain_text("正在淡忘")
        item.get_by_role("button", name="保留").click()
        expect(page.get_by_text("没有待审核的内容")).to_be_visible()
        standing = self.server.call("GET", f"/v1/namespaces/fading/standings?id={memory}")["standings"][0]
        self.assertAlmostEqual(standing["score"], 0.5)
        self.go(page, "#/review?ns=fading&tab=decisions")
        expect(page.locator("#queue .item")).to_contain_text("用户去年在学滑冰")


if __name__ == "__main__":
    unittest.main()
