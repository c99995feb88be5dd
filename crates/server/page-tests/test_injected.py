"""What went into which prompt, of which agent, and why."""
import unittest

from harness import PageTest, expect


class Injected(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cat = cls.server.add("told", "My cat is called Momo.")
        cls.server.add("told", "The boiler was repaired in March.")
        for agent in ["claude-code", "codex"]:
            cls.server.call("POST", "/v1/namespaces/told/context", {"message": "What is my cat called?", "agent": agent, "session": "monday"})

    def test_a_prompt_says_what_it_got_and_why(self):
        page = self.go(self.open(), "#/injected?ns=told")
        prompts = page.locator("#injections > li")
        expect(prompts).to_have_count(2)
        expect(prompts.first).to_contain_text("codex")
        expect(prompts.first).to_contain_text("My cat is called Momo.")
        expect(prompts.first.locator(".bars li").first).to_be_visible()
        page.get_by_role("button", name="claude-code").click()
        expect(prompts).to_have_count(1)
        prompts.get_by_role("link", name="My cat is called Momo.").click()
        expect(page.locator("#memory-text")).to_have_text("My cat is called Momo.")
        page.get_by_role("link", name="Prompts that got it").click()
        expect(prompts).to_have_count(2)

    def test_looking_is_no_prompt_and_a_deleted_memory_leaves_all(self):
        gone = self.server.add("left", "The parrot is called Rio.")
        body = {"message": "What is the parrot called?", "agent": "tests"}
        self.server.call("POST", "/v1/namespaces/left/context", {**body, "peek": True})
        page = self.go(self.open(), "#/injected?ns=left")
        expect(page.get_by_role("heading", name="No prompt has got anything yet")).to_be_visible()
        self.server.call("POST", "/v1/namespaces/left/context", body)
        page.reload()
        expect(page.locator("#injections")).to_contain_text("Rio")
        self.server.call("DELETE", f"/v1/namespaces/left/memories/{gone}")
        page.reload()
        expect(page.get_by_role("heading", name="No prompt has got anything yet")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
