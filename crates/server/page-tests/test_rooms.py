"""Facts, conversations, the graph, work, tokens and settings."""
import unittest

from harness import PageTest, expect


class Graph(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        said = [("I moved to Berlin in March", "Ada", "lives in", "Berlin"), ("Berlin is where Fernlicht sits", "Fernlicht", "is in", "Berlin"),
                ("I work at Fernlicht", "Ada", "works at", "Fernlicht"), ("Mantou is my cat", "Ada", "has cat", "Mantou")]
        for text, subject, predicate, thing in said:
            memory = cls.server.add("ada", text)
            cls.server.run("-n", "ada", "graph", "add", memory, subject, predicate, thing)

    def test_facts_say_since_when_and_by_which_words(self):
        page = self.go(self.open(), "#/facts?ns=ada")
        expect(page.get_by_role("heading", name="Ada")).to_be_visible()
        row = page.locator("tr", has_text="has cat")
        expect(row).to_contain_text("Mantou")
        row.get_by_role("button", name="1 source").click()
        expect(page.get_by_role("link", name="Mantou is my cat")).to_be_visible()
        page.get_by_label("Of whom or what").fill("Fernlicht")
        expect(page.locator("tr", has_text="has cat")).to_have_count(0)
        expect(page.locator("tr", has_text="is in")).to_be_visible()

    def test_facts_of_a_day_leave_out_what_was_over_and_the_filter_stays(self):
        met = self.server.add("days", "Bo lived in Oslo")
        self.server.run("-n", "days", "graph", "add", met, "Bo", "lived in", "Oslo", "--valid-from", "2001-02-01", "--valid-until", "2003-02-01")
        later = self.server.add("days", "Bo keeps bees")
        self.server.run("-n", "days", "graph", "add", later, "Bo", "keeps", "bees")
        page = self.go(self.open(), "#/facts?ns=days")
        page.get_by_label("True on").fill("2002-01-01")
        expect(page.locator("tr", has_text="Oslo")).to_be_visible()
        expect(page.locator("tr", has_text="bees")).to_contain_text("said later")
        page.get_by_label("True on").fill("2004-01-01")
        expect(page.locator("tr", has_text="Oslo")).to_have_count(0)
        expect(page.get_by_label("True on")).to_have_value("2004-01-01")
        page.get_by_role("button", name="Reset filters").click()
        expect(page.get_by_label("True on")).to_have_value("")

    def test_what_changed_this_week_is_told(self):
        moved = self.server.add("news", "Ada moved to Lisbon")
        self.server.run("-n", "news", "graph", "add", moved, "Ada", "lives in", "Lisbon")
        page = self.go(self.open(), "#/facts?ns=news&tab=changes")
        expect(page.locator("#changes tbody tr")).to_have_count(1)
        expect(page.locator("#changes tbody tr")).to_contain_text("new")
        expect(page.locator("#changes tbody tr")).to_contain_text("Ada lives in Lisbon")
        page.get_by_role("button", name="Last day").click()
        expect(page.locator("#changes tbody tr")).to_have_count(1)

    def test_a_fact_is_ended_from_the_facts_and_from_the_graph(self):
        for thing in ["Oslo", "Rome"]:
            said = self.server.add("ended", f"Bo lives in {thing}")
            self.server.run("-n", "ended", "graph", "add", said, "Bo", "lives in", thing)
        page = self.go(self.open(), "#/facts?ns=ended")
        page.locator("tr", has_text="Oslo").locator("[data-correct]").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Bo lives in Oslo")
        dialog.locator("[data-end]").click()
        expect(page.locator("tr", has_text="Oslo")).to_have_count(0)
        expect(page.locator("tr", has_text="Rome")).to_be_visible()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        expect(page.locator("tr", has_text="Oslo")).to_be_visible()
        self.go(page, "#/graph?ns=ended&of=Bo&tab=table")
        expect(page.locator("#edges tbody tr")).to_have_count(2)
        page.locator("#edges tr", has_text="Rome").locator("[data-correct]").click()
        page.get_by_role("dialog").get_by_role("button", name="Forget the words").click()
        expect(page.locator("#edges tbody tr")).to_have_count(1)
        expect(page.locator("#edges")).to_contain_text("Oslo")

    def test_neighbours_are_drawn_and_the_table_has_the_same(self):
        page = self.go(self.open(), "#/graph?ns=ada")
        page.get_by_role("link", name="Ada", exact=True).click()
        canvas = page.locator("canvas")
        expect(canvas).to_have_attribute("aria-label", "A net of 4 things and 3 relations; the table has the same")
        page.get_by_role("tab", name="Table").click()
        expect(page.locator("#edges tbody tr")).to_have_count(3)
        page.locator("#edges").get_by_role("button", name="Fernlicht").click()
        expect(page.locator("#edges tbody tr")).to_have_count(4)
        expect(page.locator("#edges")).to_contain_text("is in")

    def test_the_layout_of_five_thousand_things_leaves_the_page_free(self):
        page = self.go(self.open(), "#/overview")
        longest = page.evaluate("""async () => {
            const worker = new Worker('/page/layout.js');
            const ids = Array.from({ length: 5000 }, (_, place) => String(place));
            const edges = ids.slice(1).map((id, place) => [id, String(Math.floor(place / 3))]);
            let longest = 0, last = performance.now(), rounds = 0;
            const ticking = setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 10);
            worker.postMessage({ ids, edges });
            await new Promise((done) => { worker.onmessage = () => { rounds += 1; if (rounds > 5) done(); }; });
            clearInterval(ticking);
            worker.terminate();
            return { longest, rounds };
        }""")
        self.assertGreater(longest["rounds"], 5)


class Rooms(PageTest):
    arguments = ("--demo",)

    def test_a_conversation_is_shown_turn_by_turn(self):
        page = self.go(self.open(), "#/conversations?ns=lin-wei")
        expect(page.locator(".listing-pane")).to_contain_text("37 of 37")
        page.get_by_role("link", name="s05").click()
        expect(page.locator(".turn").first).to_contain_text("Ran 12 km along Suzhou Creek")
        page.locator(".turn").first.get_by_role("link", name="as a memory").click()
        expect(page.locator("#memory-text")).to_contain_text("Ran 12 km")
        page.get_by_role("link", name="s05, turn 1").click()
        expect(page.locator(".turn.aim")).to_contain_text("Ran 12 km")

    def test_a_prompt_shows_what_it_gets_and_of_what(self):
        page = self.go(self.open(), "#/ask?ns=lin-wei&q=which+book+did+Xiaoman+give+me&tab=prompt")
        expect(page.locator("#prompt pre")).to_contain_text("Xiaoman gave me this one")
        expect(page.locator("#prompt")).to_contain_text("tokens")

    def test_statistics_are_plotted_and_the_numbers_are_a_table(self):
        page = self.go(self.open(), "#/statistics?ns=lin-wei")
        expect(page.locator("#growth rect.column").first).to_be_visible()
        page.locator("#growth summary").click()
        counts = [int(text) for text in page.locator("#growth tbody td.num").all_inner_texts()]
        total = self.server.call("GET", "/v1/namespaces/lin-wei")["memories"]
        self.assertEqual(sum(counts), total)
        self.assertEqual(page.locator("#growth rect.column").count(), len(counts))
        self.server.call("POST", "/v1/namespaces/lin-wei/memories/search", {"query": "cat"})
        page.reload()
        expect(page.locator("#latency [data-count=latency-search] .num")).to_contain_text("ms")

    def test_a_prompt_is_kept_within_the_tokens_that_one_tries(self):
        for text in ["My cat Momo likes fish.", "My cat Momo sleeps all day.", "My cat Momo is orange."]:
            self.server.add("budget", text)
        page = self.go(self.open(), "#/ask?ns=budget&q=what+about+Momo&tab=prompt")
        expect(page.locator("#prompt")).to_contain_text("tokens")
        page.locator("#budget").fill("30")
        page.locator("#budget").press("Enter")
        expect(page.locator("#prompt")).to_contain_text("found no room")
        self.assertLessEqual(int(page.locator("#prompt .num").inner_text().split()[0]), 30)

    def test_a_token_is_made_shown_once_and_revoked(self):
        page = self.go(self.open(), "#/settings?ns=lin-wei")
        page.get_by_role("button", name="New token").click()
        page.locator("input[name=token-name]").fill("reader")
        page.get_by_role("dialog").get_by_role("button", name="Create").click()
        secret = page.locator("#secret").inner_text().strip()
        self.assertTrue(secret.startswith("annals_"))
        page.get_by_role("button", name="Done").click()
        row = page.locator("#tokens tr", has_text="reader")
        expect(row).to_contain_text("read")
        token, self.server.token = self.server.token, secret
        self.addCleanup(setattr, self.server, "token", token)
        self.assertEqual(self.server.call("GET", "/v1/whoami")["rights"], ["read"])
        row.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(row).to_have_count(1)
        row.get_by_role("button", name="Revoke").click()
        page.get_by_role("dialog").locator("[data-confirm=revoke]").click()
        expect(row).to_have_count(0)
        with self.assertRaisesRegex(AssertionError, "401"):
            self.server.call("GET", "/v1/whoami")
        self.server.token = token

    def test_a_namespace_gets_another_profile_and_language(self):
        self.server.call("PUT", "/v1/namespaces/settled", {})
        page = self.go(self.open(), "#/settings?ns=settled")
        page.locator("#profile").select_option("studio")
        expect(page.locator(".notice")).to_contain_text("Saved")
        self.assertEqual(self.server.call("GET", "/v1/namespaces/settled/profile")["profile"], "studio")
        page.locator("#messages").select_option("zh")
        expect(page.locator(".notice").nth(1)).to_contain_text("Saved")
        self.assertEqual(self.server.call("GET", "/v1/namespaces/settled/language")["language"], "zh")

    def test_work_shows_an_empty_queue_and_the_jobs(self):
        self.server.call("PUT", "/v1/namespaces/worked", {"profile": "agent"})
        page = self.go(self.open(), "#/work?ns=worked")
        expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
        page.get_by_role("tab", name="Jobs").click()
        expect(page.locator("tbody tr").first).to_be_visible()
        page.get_by_role("button", name="Try all, change nothing").click()
        expect(page.locator(".notice")).to_contain_text("tried")
        page.get_by_role("button", name="Run all now").click()
        nightly = page.locator("#jobs-done li", has_text="Nightly pass agent")
        expect(nightly).to_contain_text("fading")


if __name__ == "__main__":
    unittest.main()
