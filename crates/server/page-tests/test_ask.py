"""Questions: reasons, nothing known, why not, as of a day."""
import unittest

from harness import PageTest, expect


class Ask(PageTest):
    arguments = ("--demo",)

    def test_hits_come_with_reasons(self):
        page = self.go(self.open(), "#/ask?ns=lin-wei")
        page.get_by_label("Question").fill("which book did Xiaoman give me?")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator("#hits")).to_contain_text("Piranesi")
        first = page.locator("#hits .card").first
        expect(first.locator(".reason").first).to_be_visible()
        expect(page.locator("#verdict")).to_contain_text("This is known.")

    def test_what_nobody_said_is_not_known(self):
        page = self.go(self.open(), "#/ask?ns=lin-wei&q=orbital+period+of+Neptune")
        expect(page.locator("#verdict")).to_contain_text("Nothing is known about this.")

    def test_a_missed_memory_says_why_it_is_not_there(self):
        page = self.go(self.open(), "#/ask?ns=lin-wei&q=which+book+did+Xiaoman+give+me")
        expect(page.locator("#hits .card").first).to_be_visible()
        page.get_by_text("Something is missing?").click()
        page.get_by_label("Words or id of the memory").fill("a dog called Kabel")
        page.get_by_role("button", name="Look", exact=True).click()
        pick = page.locator(".picks li", has=page.get_by_role("button", name="a dog called Kabel"))
        pick.get_by_role("button", name="a dog called Kabel").click()
        # It is told where one clicked, and read from there.
        why = pick.locator("#why-not")
        expect(why.locator("strong")).to_contain_text("Others were better: it comes at place")
        expect(why.locator(".reason").first).to_be_visible()
        expect(why).to_be_in_viewport()
        expect(why).to_be_focused()

    def test_a_hit_that_a_prompt_does_not_get_says_so(self):
        for text in ["My cat Momo likes fish", "The harbour of Kiel has nine cranes",
                     "Bo paints boats"]:
            self.server.add("missed", text)
        query = {"query": "what does the cat Momo like", "top_k": 20}
        hits = self.server.call("POST", "/v1/namespaces/missed/memories/search", query)["hits"]
        prompt = self.server.call("POST", "/v1/namespaces/missed/context",
                                  {"message": query["query"], "peek": True})["ids"]
        far = next(hit["memory"]["id"] for hit in hits if hit["memory"]["id"] not in prompt)
        page = self.go(self.open(), f"#/ask?ns=missed&q=what+does+the+cat+Momo+like&why={far}")
        expect(page.locator("#why-not")).to_contain_text("It is among the hits, at place")
        expect(page.locator("#not-in-prompt")).to_contain_text("Only the nearest go into it")
        self.go(page, f"#/ask?ns=missed&q=what+does+the+cat+Momo+like+most&why={prompt[0]}")
        expect(page.locator("#why-not")).to_contain_text("A prompt gets it, too.")

    def test_weights_are_tried_and_not_stored(self):
        before = self.server.call("GET", "/v1/namespaces/lin-wei/kinds")["weights"]
        page = self.go(self.open(), "#/ask?ns=lin-wei&q=which+book+did+Xiaoman+give+me")
        expect(page.locator("#hits .card").first).to_be_visible()
        page.locator("#weights > summary").click()
        for name in ["own", "dense", "window", "context", "speaker", "answers"]:
            page.locator(f"[data-weight={name}]").fill("0")
        expect(page.locator("#weights > summary")).to_contain_text("tried, not stored")
        expect(page.locator("#hits")).to_contain_text("was at place")
        parts = page.locator("#hits .card").first.locator(".reason")
        expect(parts.filter(has_text="Own words")).to_have_count(0)
        page.get_by_role("button", name="Back to the profile").click()
        expect(page.locator("#hits")).not_to_contain_text("was at place")
        self.assertEqual(self.server.call("GET", "/v1/namespaces/lin-wei/kinds")["weights"], before)

    def test_a_day_before_everything_knows_nothing(self):
        page = self.go(self.open(), "#/ask?ns=lin-wei&q=which+book+did+Xiaoman+give+me&as_of=2026-01-01")
        expect(page.get_by_role("heading", name="Nothing comes up")).to_be_visible()
        expect(page.locator("#verdict")).to_contain_text("Nothing is known as of 1 Jan 2026.")


if __name__ == "__main__":
    unittest.main()
