"""What all screens share: coming in, hints, languages, themes, width, accessibility, weight."""
import gzip
import os
import pathlib
import re
import unittest

from harness import PageTest, expect

PAGE = pathlib.Path(__file__).parent.parent / "page"
SCREENS = ["overview", "memories", "ask", "facts", "conversations", "review", "graph", "injected", "import", "work", "statistics", "settings"]


class Frame(PageTest):
    arguments = ("--demo",)

    def test_the_link_of_the_server_lets_a_browser_in_once(self):
        page = self.open()
        page.add_init_script("sessionStorage.removeItem('annals-token')")
        page.goto(self.server.url)
        expect(page.get_by_role("heading", name="Come in")).to_be_visible()
        page.get_by_label("The link that").fill("annals_0000")
        page.get_by_role("button", name="Enter").click()
        expect(page.locator("#entry-wrong")).to_be_visible()
        page.get_by_label("The link that").fill(self.server.link)
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        page.goto(f"{self.server.url}/#/settings")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Come in")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Come in")).to_be_visible()

    def test_a_link_that_was_used_says_so_where_one_comes_in(self):
        for language, words in [("en", "That link was used"), ("zh", "这个链接已经用过")]:
            page = self.open(language=language)
            page.add_init_script("sessionStorage.removeItem('annals-token')")
            page.goto(f"{self.server.url}/?reason=used-link")
            expect(page.locator("#entry-reason")).to_contain_text(words)
            expect(page).not_to_have_url(re.compile("reason"))
            page.reload()
            expect(page.locator("h1")).to_be_visible()
            expect(page.locator("#entry-reason")).to_have_count(0)

    def test_notices_lie_over_nothing_and_are_two_at_most(self):
        page = self.go(self.open(), "#/memories?ns=lin-wei")
        expect(page.locator(".card").first).to_be_visible()
        page.evaluate("""async () => {
            const { tell } = await import('/page/pieces.js');
            const actions = [['Undo', () => {}]];
            for (const text of ['one', 'two', 'three']) tell({ text, actions });
        }""")
        expect(page.locator(".notice")).to_have_count(2)
        expect(page.locator(".notice").last).to_contain_text("three")
        page.locator(".card-text").first.click()
        drawer, box = page.locator(".drawer"), page.locator(".notices").bounding_box()
        below = "([y]) => document.querySelector('.drawer').getBoundingClientRect().bottom <= y + 1"
        page.wait_for_function(below, arg=[box["y"]])
        expect(drawer).to_be_visible()

    def test_the_hints_are_shown_at_the_first_visit_and_not_at_the_second(self):
        # spec: S-118
        self.server.call("PUT", "/v1/namespaces/hinted", {"profile": "studio"})
        self.server.add("hinted", "喜欢函数式编程", kind="preference")
        page = self.go(self.open(fresh=True), "#/memories?ns=hinted")
        expect(page.get_by_text("How this memory works")).to_be_visible()
        page.reload()
        expect(page.locator(".card").first).to_be_visible()
        expect(page.get_by_text("How this memory works")).to_have_count(0)

    def test_the_key_of_temporary_conversations_works_everywhere_and_can_be_another(self):
        # spec: S-114
        self.server.call("PUT", "/v1/namespaces/keys", {"profile": "studio"})
        page = self.go(self.open(), "#/memories?ns=keys")
        page.keyboard.press("Control+Shift+KeyT")
        expect(page.locator(".notice").last).to_contain_text("nothing is kept")
        page.keyboard.press("Control+Shift+KeyT")
        expect(page.locator(".notice").last).to_contain_text("remembered again")
        self.go(page, "#/settings")
        page.locator("#temporary-key").focus()
        page.keyboard.press("Alt+KeyI")
        expect(page.locator("#temporary-key")).to_have_value("Alt+I")
        page.locator("h1").focus()
        page.keyboard.press("Alt+KeyI")
        expect(page.locator(".notice").last).to_contain_text("nothing is kept")

    def test_language_and_theme_are_chosen_and_stay(self):
        page = self.go(self.open(), "#/settings")
        page.locator("#page-language").select_option("zh")
        expect(page.get_by_role("heading", name="设置")).to_be_visible()
        page.locator("#page-theme").select_option("dark")
        page.reload()
        expect(page.get_by_role("heading", name="设置")).to_be_visible()
        self.assertEqual(page.evaluate("document.documentElement.dataset.theme"), "dark")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "zh-CN")

    def test_no_screen_is_wider_than_a_phone(self):
        page = self.open(width=360)
        for screen in SCREENS:
            self.go(page, f"#/{screen}")
            page.wait_for_timeout(300)
            wide = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, 360, screen)
        page.get_by_role("button", name="Menu").click()
        page.locator(".side").get_by_role("link", name="Memories").click()
        expect(page.locator(".card").first).to_be_visible()
        expect(page.locator(".side")).to_be_hidden()

    def test_a_memory_is_opened_and_closed_by_the_keyboard_alone(self):
        page = self.go(self.open(), "#/memories")
        link = page.locator(".card .card-text").first
        link.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        self.assertTrue(page.evaluate("document.activeElement.closest('.drawer') !== null"))
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        self.assertTrue(link.evaluate("element => element === document.activeElement"))

    def test_a_script_in_a_memory_stays_a_text(self):
        text = "<img src=x onerror=\"window.broken = true\"><script>window.broken = true</script>"
        memory = self.server.add("lin-wei", text)
        page = self.go(self.open(), f"#/memories?ns=lin-wei&m={memory}")
        expect(page.locator("#memory-text")).to_have_text(text)
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.server.call("DELETE", f"/v1/namespaces/lin-wei/memories/{memory}")


class Accessible(PageTest):
    """Every screen under the eyes of axe."""

    arguments = ("--demo",)

    def look(self, language, theme, width):
        script = pathlib.Path(os.environ["AXE"]).read_text("utf-8")
        page, found = self.open(language=language, width=width, theme=theme), []
        for screen in [*SCREENS, "memories?tab=add", "memories?tab=batch", "memories?q=cat", "ask?q=cat", "facts?tab=changes", "conversations?session=s37", "conversations?tab=chat"]:
            self.go(page, f"#/{screen}")
            expect(page.locator(".loading")).to_have_count(0)
            # Not as a tag: the policy of the page allows no script but its own.
            page.evaluate(script)
            result = page.evaluate("axe.run()")
            for one in result["violations"]:
                if one["impact"] in ("serious", "critical"):
                    found.append((screen, one["id"], one["nodes"][0]["html"][:160]))
        self.assertEqual(found, [])


class AccessibleWide(Accessible):
    def test_axe_finds_nothing_serious(self):
        self.look("en", "light", 1280)


class AccessiblePhone(Accessible):
    def test_axe_finds_nothing_serious(self):
        self.look("zh", "dark", 390)


class Weight(unittest.TestCase):
    def test_the_page_is_under_150_kilobytes_compressed(self):
        files = [path for path in PAGE.rglob("*") if path.is_file() and path.suffix != ".txt"]
        self.assertGreater(len(files), 20)
        self.assertLess(sum(len(gzip.compress(path.read_bytes(), 6)) for path in files), 150_000)

    def test_both_languages_have_the_same_texts_with_the_same_places(self):
        def texts(name):
            file = (PAGE / f"texts/{name}.js").read_text()
            lines = re.findall(r"^  '([^']+)':\s+'(.*)',$", file, re.M)
            return {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in lines}

        english, chinese = texts("en"), texts("zh")
        self.assertEqual(english.keys(), chinese.keys())
        for key, places in english.items():
            self.assertEqual(places, chinese[key], key)


if __name__ == "__main__":
    unittest.main()
