"""Files that are tried, and then imported."""
import json
import pathlib
import tempfile
import unittest
from datetime import datetime, timedelta, timezone

from harness import PageTest, expect


def lines(*turns):
    return "".join(json.dumps({"session": "s1", "speaker": "Ada", "time": f"2026-03-0{number + 1}T10:00:00Z", "text": text}) + "\n"
                   for number, text in enumerate(turns))


class Import(PageTest):
    def file(self, name, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_text(text)
        return str(path)

    def figures(self, page):
        texts = page.locator("#import-report .figure").all_inner_texts()
        return {text.split("\n")[1]: int(text.split("\n")[0]) for text in texts}

    def test_a_file_is_tried_before_anything_is_stored(self):
        self.server.add("files", "Something else")
        page = self.go(self.open(), "#/import?ns=files")
        page.locator("#file").set_input_files(self.file("talk.jsonl", lines("I moved to Lisbon", "My cat is called Mantou")))
        expect(page.get_by_role("heading", name="What would come in")).to_be_visible()
        self.assertEqual(self.figures(page), {"stored": 2, "there already": 0, "deleted before": 0, "left out": 0})
        self.assertEqual(self.server.texts("files"), ["Something else"])
        page.locator("#import-now").click()
        expect(page.get_by_role("heading", name="What came in")).to_be_visible()
        self.assertEqual(len(self.server.texts("files")), 3)
        page.locator("#file").set_input_files(self.file("talk.jsonl", lines("I moved to Lisbon", "My cat is called Mantou", "It rains")))
        expect(page.get_by_role("heading", name="What would come in")).to_be_visible()
        found = self.figures(page)
        self.assertEqual((found["stored"], found["there already"]), (1, 2))

    def test_a_bad_line_is_left_out_with_its_reason(self):
        self.server.add("bad", "Something else")
        page = self.go(self.open(), "#/import?ns=bad")
        page.locator("#file").set_input_files(self.file("talk.jsonl", lines("A good line") + '{"session": "s1"}\n'))
        expect(page.locator("#import-report .goes li")).to_contain_text("Line 2:")
        page.locator("#import-now").click()
        expect(page.get_by_role("heading", name="What came in")).to_be_visible()
        self.assertEqual(sorted(self.server.texts("bad")), ["A good line", "Something else"])

    def test_a_file_of_no_known_form_is_refused_in_words_of_the_page(self):
        self.server.add("forms", "Something else")
        page = self.go(self.open(), "#/import?ns=forms")
        page.locator("#file").set_input_files(self.file("odd.json", '{"a": 1}'))
        expect(page.get_by_role("alert")).to_contain_text("Choose an export of a service")
        expect(page.get_by_role("alert")).not_to_contain_text("--")

    def test_an_import_is_taken_back_as_a_whole(self):
        self.server.add("back", "Something else")
        page = self.go(self.open(), "#/import?ns=back")
        page.locator("#file").set_input_files(self.file("talk.jsonl", lines("I moved to Lisbon", "My cat is called Mantou")))
        page.locator("#import-now").click()
        expect(page.get_by_role("heading", name="What came in")).to_be_visible()
        row = page.locator("#imports li")
        expect(row).to_contain_text("talk.jsonl")
        expect(row).to_contain_text("2 memories")
        row.get_by_role("button", name="Take back").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("2 memories of the import")
        dialog.get_by_role("button", name="Take back").click()
        expect(page.locator(".notice")).to_contain_text("2 memories are gone")
        expect(page.locator("#imports")).to_have_count(0)
        self.assertEqual(self.server.texts("back"), ["Something else"])

    def test_lines_that_are_left_out_for_the_same_reason_stand_together(self):
        self.server.add("many", "Something else")
        page = self.go(self.open(), "#/import?ns=many")
        page.locator("#file").set_input_files(self.file("talk.jsonl", lines("A good line") + '{"session": "s1"}\n' * 9))
        expect(page.locator("#import-report .goes li")).to_have_count(1)
        expect(page.locator("#import-report .goes li")).to_contain_text("9 lines (2, 3, 4, 5, 6, 7 …)")

    def test_dropped_files_are_taken_together(self):
        self.server.add("dropped", "Something else")
        page = self.go(self.open(), "#/import?ns=dropped")
        page.evaluate("""(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], 'talk.jsonl'));
            data.items.add(new File(['# Garden\\n\\n- the roses are watered on Friday\\n'], 'garden.md'));
            document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        }""", lines("A dropped line"))
        expect(page.locator("#import-report")).to_contain_text("What would come in")
        self.assertEqual(self.figures(page)["stored"], 2)
        page.locator("#import-now").click()
        expect(page.get_by_role("heading", name="What came in")).to_be_visible()
        self.assertEqual(len(self.server.texts("dropped")), 3)


class Fading(PageTest):
    def test_what_fades_is_listed_with_its_moment_and_can_be_used(self):
        self.server.call("PUT", "/v1/namespaces/fades", {"profile": "studio"})
        memory = self.server.add("fades", "正在调试登录页面的样式", kind="context", importance=0.4)
        page = self.go(self.open(), "#/review?ns=fades&tab=fading")
        item = page.locator("#queue .item")
        expect(item).to_contain_text("正在调试登录页面的样式")
        expect(item).to_contain_text("in ")
        item.get_by_role("button", name="Still of use").click()
        # The new state is told, and the row has it.
        expect(page.locator(".notice")).to_contain_text("counts as used")
        expect(item).to_contain_text("used 1 time")
        standing = self.server.call("GET", f"/v1/namespaces/fades/standings?id={memory}")["standings"][0]
        self.assertEqual(standing["used"], 1)

    def test_a_memory_that_goes_by_a_date_gets_another_date(self):
        for profile in ["default", "agent"]:
            space = f"dated-{profile}"
            self.server.call("PUT", f"/v1/namespaces/{space}", {"profile": profile})
            # No rule has anything to do so soon.
            day = datetime.now(timezone.utc) + timedelta(days=5)
            until, later = (f"{day + timedelta(days=more):%Y-%m-%dT00:00:00Z}" for more in (0, 7))
            memory = self.server.add(space, "The offer of the bakery holds", expires_at=until)
            page = self.go(self.open(), f"#/review?ns={space}&tab=fading")
            item = page.locator("#queue .item")
            said = f"{day.day} {day:%b %Y}"
            expect(item).to_contain_text(f"expires on {said}")
            item.get_by_role("button", name="Still of use").click()
            expect(page.locator(".notice")).to_contain_text(f"It still expires on {said}")
            item.locator("[data-date]").click()
            page.locator(".drawer input[name=expires]").fill(later[:16])
            page.locator(".drawer").get_by_role("button", name="Save").click()
            expect(item).not_to_contain_text(said)
            self.assertEqual(self.server.get(space, memory)["expires_at"], later)


if __name__ == "__main__":
    unittest.main()
