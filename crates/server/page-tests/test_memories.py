"""The screens of memories: the list, one memory, adding, deleting, undoing."""
import re
import unittest

from harness import PageTest, expect


class Memories(PageTest):
    """The list; what proves a requirement of the studio design works under its profile."""

    def test_forty_five_memories_are_shown_by_two_clicks(self):
        # spec: S-104, S-108
        self.server.call("PUT", "/v1/namespaces/paged", {"profile": "studio"})
        for number in range(45):
            self.server.add("paged", f"The crate number {number} of the harbour holds {number * 7} lemons")
        page = self.open(language="zh")
        page.goto(f"{self.server.url}/settings/memories#/memories?ns=paged")
        cards = page.locator(".card")
        expect(cards).to_have_count(20)
        more = page.get_by_role("button", name="加载更多")
        more.click()
        expect(cards).to_have_count(40)
        more.click()
        expect(cards).to_have_count(45)
        expect(more).to_have_count(0)
        expect(page.locator("#total")).to_have_text("共 45 条记忆")

    def test_the_client_of_the_page_offers_what_the_design_asks_for(self):
        # spec: S-112, S-147
        self.server.call("PUT", "/v1/namespaces/offered", {"profile": "studio"})
        bees = self.server.add("offered", "Ada keeps bees behind her house")
        train = self.server.add("offered", "The train to Lyon leaves at nine", kind="goal")
        page = self.go(self.open(), "#/memories?ns=offered")
        expect(page.locator(".card")).to_have_count(2)
        told = page.evaluate("""async ([bees]) => {
            const client = (await import('/page/collection.js')).collection('offered');
            const ids = () => client.memories.map((memory) => memory.id);
            const listed = await client.list({ kind: 'goal' }), goals = ids();
            const found = await client.search('who keeps bees?', {}), best = ids()[0];
            const of = await client.search('when does the train to Lyon leave?', { kind: 'goal' });
            await client.remove(bees);
            const active = (await client.list({ status: 'active' })).total, hidden = (await client.list({ status: 'forgotten' })).total;
            await client.restore(bees);
            const again = (await client.list({ status: 'active' })).total, stats = await client.stats();
            return { members: Object.keys(client), goals, total: listed.total, best, likely: found.answer.answered.likely,
                of: of.items.map((memory) => memory.id), active, hidden, again, count: stats.total, kinds: stats.byType };
        }""", [bees])
        self.assertEqual(sorted(told["members"]), ["list", "memories", "remove", "restore", "search", "stats"])
        self.assertEqual((told["goals"], told["total"], told["best"], told["likely"]), ([train], 1, bees, True))
        self.assertEqual(told["of"], [train])
        self.assertEqual((told["active"], told["hidden"], told["again"]), (1, 1, 2))
        self.assertEqual((told["count"], told["kinds"]["goal"]), (2, 1))

    def test_the_address_of_the_design_opens_the_memories(self):
        # spec: S-104
        self.server.call("PUT", "/v1/namespaces/address", {"profile": "studio"})
        self.server.add("address", "Ada keeps bees")
        page = self.open(language="zh")
        page.goto(f"{self.server.url}/settings/memories")
        expect(page.get_by_role("heading", name="记忆", exact=True)).to_be_visible()
        page.locator("#space").select_option("address")
        expect(page.locator(".card")).to_contain_text("Ada keeps bees")

    def test_typing_searches_and_weak_hits_stand_below_a_warning(self):
        for text in ["Ada keeps bees behind her house", "The train to Lyon leaves at nine", "Ada's dentist is Dr. Weiss"]:
            self.server.add("typed", text)
        page = self.go(self.open(), "#/memories?ns=typed")
        expect(page.locator(".card")).to_have_count(3)
        with page.expect_request(lambda request: request.url.endswith("/memories/search")):
            page.get_by_label("Search memories").fill("who keeps bees?")
        expect(page.locator(".card").first).to_contain_text("Ada keeps bees")
        expect(page.locator(".card").first.locator(".strip i").first).to_be_attached()
        expect(page.locator("#nothing-known")).to_have_count(0)
        page.get_by_label("Search memories").fill("the orbital period of Neptune in days")
        expect(page.locator("#nothing-known")).to_contain_text("Nothing is known")

    def test_filters_stay_when_nothing_passes_them(self):
        self.server.add("filters", "A harbour has cranes", kind="note")
        page = self.go(self.open(), "#/memories?ns=filters&status=archived")
        expect(page.get_by_text("Nothing passes these filters")).to_be_visible()
        expect(page.locator("select").filter(has=page.locator("option[value=archived]"))).to_have_value("archived")
        page.reload()
        expect(page.get_by_text("Nothing passes these filters")).to_be_visible()
        page.get_by_role("button", name="Reset filters").first.click()
        expect(page.locator(".card")).to_have_count(1)

    def test_a_failing_server_is_not_taken_for_an_empty_one(self):
        self.server.add("failing", "There is something here")
        page = self.open()
        page.route("**/failing/memories?*", lambda route: route.fulfill(
            status=500, content_type="application/problem+json",
            body='{"title": "The storage failed", "status": 500, "code": "storage", "action": "Look at the log."}'))
        self.go(page, "#/memories?ns=failing")
        expect(page.get_by_role("alert")).to_contain_text("The storage failed")
        expect(page.locator(".empty")).to_have_count(0)
        page.unroute("**/failing/memories?*")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".card")).to_have_count(1)

    def test_forgotten_ones_stay_grey_and_are_restored(self):
        # spec: S-110
        self.server.call("PUT", "/v1/namespaces/greyed", {"profile": "studio"})
        forgotten = self.server.add("greyed", "The meeting moved to Friday")
        page = self.go(self.open(language="zh"), "#/memories?ns=greyed")
        page.get_by_role("button", name="遗忘", exact=True).click()
        card = page.locator(".card.forgotten")
        expect(card).to_be_visible()
        self.assertEqual(self.server.get("greyed", forgotten)["status"], "forgotten")
        colour = card.locator(".card-text").evaluate("element => getComputedStyle(element).color")
        self.assertNotEqual(colour, page.locator("h1").evaluate("element => getComputedStyle(element).color"))
        card.get_by_role("button", name="恢复").click()
        expect(page.locator(".card.forgotten")).to_have_count(0)
        self.assertEqual(self.server.get("greyed", forgotten)["status"], "active")

    def test_what_goes_is_shown_before_a_selection_is_deleted(self):
        source = self.server.add("selected", "Bo moved to Oslo in May")
        self.server.add("selected", "Bo lives in Oslo", provenance=[source])
        self.server.add("selected", "Cleo paints boats")
        page = self.go(self.open(), "#/memories?ns=selected")
        page.locator(f'[data-id="{source}"] input[type=checkbox]').check()
        bar = page.get_by_role("region", name="Selection")
        expect(bar).to_contain_text("1 selected")
        bar.get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Delete 2 memories for good?")
        expect(dialog.locator(".goes li")).to_have_count(2)
        self.assertEqual(len(self.server.texts("selected")), 3)
        dialog.get_by_role("button", name="Delete for good").click()
        expect(page.locator(".card")).to_have_count(1)
        self.assertEqual(self.server.texts("selected"), ["Cleo paints boats"])

    def test_a_selection_is_forgotten_and_brought_back(self):
        for text in ["One ship came in", "A second boat left", "Third on the quay: a bicycle"]:
            self.server.add("undone", text)
        page = self.go(self.open(), "#/memories?ns=undone")
        page.locator(".card input").first.check()
        page.get_by_role("button", name="Select all shown").click()
        page.get_by_role("region", name="Selection").get_by_role("button", name="Forget").click()
        expect(page.locator(".card.forgotten")).to_have_count(3)
        page.locator(".notice").get_by_role("button", name="Undo").click()
        expect(page.locator(".card.forgotten")).to_have_count(0)
        self.assertEqual(len(self.server.texts("undone", "status=active")), 3)

    def test_what_was_stored_is_said_and_taken_back(self):
        # spec: S-111
        self.server.call("PUT", "/v1/namespaces/said", {"profile": "studio"})
        page = self.go(self.open(language="zh"), "#/memories?ns=said&tab=add")
        page.locator("textarea[name=text]").fill("喜欢使用 TypeScript 严格模式")
        page.get_by_role("button", name="记住", exact=True).click()
        notice = page.locator(".notice")
        expect(notice).to_contain_text("我记住了")
        expect(notice).to_contain_text("已添加到记忆：「喜欢使用 TypeScript 严格模式」")
        self.assertEqual(self.server.texts("said"), ["喜欢使用 TypeScript 严格模式"])
        notice.get_by_role("button", name="查看").click()
        expect(page.locator("#memory-text")).to_have_text("喜欢使用 TypeScript 严格模式")
        page.keyboard.press("Escape")
        page.locator("textarea[name=text]").fill("会议改到周五上午")
        page.get_by_role("button", name="记住", exact=True).click()
        page.locator(".notice", has_text="会议改到周五上午").get_by_role("button", name="撤销").click()
        expect(page.locator(".notice", has_text="已撤销")).to_be_visible()
        self.assertEqual(self.server.texts("said"), ["喜欢使用 TypeScript 严格模式"])

    def test_two_tabs_see_the_same(self):
        self.server.add("tabs", "A first thing about tulips")
        page = self.go(self.open(), "#/memories?ns=tabs")
        other = page.context.new_page()
        self.go(other, "#/memories?ns=tabs")
        page.get_by_role("button", name="Forget", exact=True).click()
        expect(other.locator(".card.forgotten")).to_have_count(1)


class OneMemory(PageTest):
    """The drawer of a memory."""

    def test_an_edit_is_stored_and_its_history_shows_what_changed(self):
        # spec: C-128
        self.server.call("PUT", "/v1/namespaces/edited", {"profile": "companion"})
        memory = self.server.add("edited", "Ada lives in Berlin")
        page = self.go(self.open(), "#/memories?ns=edited")
        page.locator(f'tr[data-id="{memory}"] td').nth(1).click()
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".drawer textarea").fill("Ada lives in Lisbon")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Lisbon")
        self.assertEqual(self.server.get("edited", memory)["text"], "Ada lives in Lisbon")
        expect(page.locator("#history ins")).to_have_text("Lisbon")
        expect(page.locator("#history del")).to_have_text("Berlin")
        page.locator(".notice", has_text="Saved").get_by_role("button", name="Undo").click()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Berlin")

    def corrected(self, space):
        """A fact with its turn, what came of it, and facts of all three; its text is corrected."""
        turn = {"session": "s", "speaker": "Ada", "text": "I live in Berlin"}
        stored = self.server.call("POST", f"/v1/namespaces/{space}/turns", {"turns": [turn]})
        source = stored["ids"][0]
        memory = self.server.add(space, "Ada lives in Berlin", provenance=[source])
        flat = self.server.add(space, "Ada would like a flat in Berlin", provenance=[memory])
        cat = self.server.add(space, "Ada has room for a cat", provenance=[memory])
        for one, says in [(memory, ("Ada", "lives in", "Berlin")),
                          (flat, ("Ada", "seeks flat in", "Berlin")),
                          (cat, ("Ada", "has room for", "a cat"))]:
            self.server.run("-n", space, "graph", "add", one, *says)
        page = self.go(self.open(), f"#/memories?ns={space}&m={memory}")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator(".drawer textarea").fill("Ada lives in Lisbon")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Lisbon")
        return page, source, memory, flat

    def test_a_correction_is_finished_where_it_began(self):
        page, source, memory, flat = self.corrected("whole")
        still = page.locator("#still")
        expect(still).to_contain_text("These still say what it said before")
        expect(still.locator("[data-still] mark")).to_have_count(2)
        expect(still.locator("[data-fact]")).to_have_count(2)
        expect(still.locator("summary")).to_contain_text("1 more belongs to it")
        # The derived one is corrected, the source forgotten.
        item = still.locator(f'[data-still="{flat}"]')
        item.get_by_role("button", name="Edit").click()
        item.locator("textarea").fill("Ada would like a flat in Lisbon")
        item.get_by_role("button", name="Save").click()
        still.locator(f'[data-still="{source}"]').get_by_role("button", name="Forget").click()
        expect(still.locator(f'[data-still="{source}"]')).to_have_count(0)
        self.assertEqual(self.server.get("whole", flat)["text"], "Ada would like a flat in Lisbon")
        # A fact of the words before goes with them; the memory is stored anew without it.
        still.locator("[data-fact]", has_text="lives in").locator("[data-correct]").click()
        page.locator("dialog [data-anew]").click()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Lisbon")
        self.assertEqual(self.server.get("whole", memory)["status"], "forgotten")
        facts = self.server.call("GET", "/v1/namespaces/whole/triples")["triples"]
        self.assertNotIn("lives in", [fact["predicate"] for fact in facts])
        # What is left to correct stays in sight.
        expect(still.locator("[data-fact]")).to_have_count(1)
        expect(still.locator("[data-fact]")).to_contain_text("seeks flat in")
        page.locator(".notice", has_text="Stored anew").get_by_role("button", name="Undo").click()
        expect(page.locator(".notice", has_text="Undone")).to_be_visible()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Lisbon")
        self.assertEqual(self.server.get("whole", memory)["status"], "active")

    def test_a_correction_that_is_taken_back_leaves_nothing_to_correct(self):
        page, _, _, _ = self.corrected("back")
        expect(page.locator("#still [data-still]").first).to_be_visible()
        page.locator(".notice", has_text="Saved").get_by_role("button", name="Undo").click()
        expect(page.locator("#memory-text")).to_have_text("Ada lives in Berlin")
        expect(page.locator("#still")).to_have_count(0)

    def test_where_a_memory_comes_from_stays_after_an_edit_and_an_undo(self):
        page, _, _, _ = self.corrected("tied")

        def tied():
            relations = page.locator("#relations")
            for text in ["I live in Berlin", "Ada would like a flat in Berlin",
                         "Ada has room for a cat"]:
                expect(relations.get_by_role("link", name=text)).to_be_visible()

        tied()
        page.reload()
        tied()
        page.get_by_role("button", name="Confirm", exact=True).click()
        expect(page.get_by_role("button", name="Confirmed")).to_be_disabled()
        tied()
        page.locator(".notice", has_text="Saved").get_by_role("button", name="Undo").click()
        expect(page.get_by_role("button", name="Confirm", exact=True)).to_be_enabled()
        tied()

    def test_of_a_settled_contradiction_the_older_one_is_told_to_be_over(self):
        self.server.call("PUT", "/v1/namespaces/settled", {"profile": "studio"})
        older = self.server.add("settled", "Ada lives in Berlin", event_time="2026-01-01T00:00:00Z")
        newer = self.server.add("settled", "Ada lives in Lisbon", event_time="2026-06-01T00:00:00Z")
        self.server.call("POST", "/v1/maintain", {"force": True})
        page = self.go(self.open(), "#/review?ns=settled&tab=suspicions")
        item = page.locator("#queue .item")
        expect(item.locator("[data-ends]")).to_contain_text("holds until 1 Jun 2026")
        item.get_by_role("button", name="They contradict").click()
        expect(item).to_have_count(0)
        self.go(page, "#/memories?ns=settled")
        badge = page.locator(f'[data-id="{older}"] .badge', has_text="no longer holds since")
        expect(badge).to_contain_text("1 Jun 2026")
        expect(page.locator(f'[data-id="{newer}"] .badge')).to_have_count(0)
        for memory, words in [(older, "superseded by"), (newer, "supersedes")]:
            self.go(page, f"#/memories?ns=settled&m={memory}")
            expect(page.locator("#relations .badge")).to_have_text(words)

    def test_all_that_a_deletion_lists_are_forgotten_instead(self):
        source = self.server.add("instead", "Bo moved to Oslo in May")
        self.server.add("instead", "Bo lives in Oslo", provenance=[source])
        page = self.go(self.open(), f"#/memories?ns=instead&m={source}")
        page.locator(".drawer").get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Forget all 2 instead").click()
        expect(page.locator(".notice")).to_contain_text("2 memories forgotten")
        self.assertEqual(self.server.texts("instead", "status=active"), [])

    def test_an_edit_of_what_somebody_else_changed_is_refused(self):
        memory = self.server.add("raced", "The bakery opens at six")
        page = self.go(self.open(), f"#/memories?ns=raced&m={memory}")
        page.get_by_role("button", name="Edit", exact=True).click()
        self.server.call("PATCH", f"/v1/namespaces/raced/memories/{memory}", {"text": "The bakery opens at seven"})
        page.locator(".drawer textarea").fill("The bakery opens at eight")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".notice.bad")).to_be_visible()
        self.assertEqual(self.server.get("raced", memory)["text"], "The bakery opens at seven")

    def test_a_memory_is_confirmed_archived_and_restored(self):
        # spec: M-96
        self.server.call("PUT", "/v1/namespaces/managed", {"profile": "markdown"})
        memory = self.server.add("managed", "The linter runs before each commit", kind="workflow")
        page = self.go(self.open(), f"#/memories?ns=managed&m={memory}")
        page.get_by_role("button", name="Confirm", exact=True).click()
        expect(page.locator(".drawer .badge.good")).to_have_text("confirmed")
        self.assertTrue(self.server.get("managed", memory)["verified"])
        page.locator(".drawer").get_by_role("button", name="Archive").click()
        expect(page.locator(".drawer").get_by_role("button", name="Restore")).to_be_visible()
        self.assertEqual(self.server.get("managed", memory)["status"], "archived")
        page.locator(".drawer").get_by_role("button", name="Restore").click()
        expect(page.locator(".drawer").get_by_role("button", name="Archive")).to_be_visible()
        self.assertEqual(self.server.get("managed", memory)["status"], "active")

    def test_a_memory_is_deleted_with_what_was_derived_from_it(self):
        # spec: C-128
        self.server.call("PUT", "/v1/namespaces/cascade", {"profile": "companion"})
        source = self.server.add("cascade", "The user said he moved to Oslo", kind="episode")
        self.server.add("cascade", "The user lives in Oslo", kind="fact", provenance=[source], source="background_ai")
        page = self.go(self.open(language="zh"), "#/memories?ns=cascade")
        page.locator(f'tr[data-id="{source}"] td').nth(1).click()
        page.locator(".drawer").get_by_role("button", name="编辑", exact=True).click()
        page.locator(".drawer").get_by_role("button", name="删除", exact=True).click()
        page.get_by_role("button", name="永久删除").click()
        expect(page.locator(".drawer")).to_have_count(0)
        expect(page.locator("tr[data-id]")).to_have_count(0)
        self.assertEqual(self.server.texts("cascade"), [])


if __name__ == "__main__":
    unittest.main()
