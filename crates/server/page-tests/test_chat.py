"""Conversations with a model: what it used, what it keeps, and nothing of both where they are temporary."""
import json
import os
import pathlib
import socket
import tempfile
import unittest
import urllib.request

from harness import PageTest, expect

ANSWERS = [{"purpose": "chat", "reply": {"text": "Since you like function composition, I would use a pipe."}}] * 24
FOUND = [{"purpose": "extract", "reply": {"text": "[]"}}] * 24


class Chat(PageTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        answers = pathlib.Path(folder.name) / "answers.ndjson"
        answers.write_text("".join(json.dumps(line) + "\n" for line in [*ANSWERS, *FOUND]))
        os.environ["ANNALS_LLM"] = f"replay:{answers}"
        cls.addClassCleanup(os.environ.pop, "ANNALS_LLM")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.space = f"chat-{self.id().rsplit('.', 1)[1][:30]}"
        self.server.call("PUT", f"/v1/namespaces/{self.space}", {"profile": "studio"})
        self.memory = self.server.add(self.space, "喜欢函数式编程，多用组合少用继承", kind="preference", importance=0.9)

    def say(self, page, text):
        page.locator("#chat textarea").fill(text)
        page.get_by_role("button", name="Send").click()

    def uses(self):
        """How often the memory was used and returned, and when."""
        standing = self.server.call("GET", f"/v1/namespaces/{self.space}/standings?id={self.memory}")["standings"][0]
        return [standing[name] for name in ("used", "returned", "last_access", "importance")]

    def test_a_reply_names_the_memories_that_it_used_unless_they_are_not_wanted(self):
        # spec: S-117
        page = self.go(self.open(), f"#/conversations?ns={self.space}&tab=chat")
        self.say(page, "函数式编程还是继承？")
        expect(page.locator(".say.answer")).to_contain_text("I would use a pipe")
        expect(page.locator("#chat .used li")).to_have_count(1)
        page.get_by_role("link", name="[1]").click()
        expect(page.locator("#memory-text")).to_have_text("喜欢函数式编程，多用组合少用继承")
        self.go(page, f"#/settings?ns={self.space}")
        page.get_by_label("Show memory references in conversation").uncheck()
        self.go(page, f"#/conversations?ns={self.space}&tab=chat")
        self.say(page, "函数式编程还是继承？")
        expect(page.locator(".say.answer")).to_contain_text("I would use a pipe")
        expect(page.get_by_text("From memory:")).to_have_count(0)

    def test_ten_rounds_of_a_temporary_conversation_leave_no_trace(self):
        # spec: S-113
        before = self.uses()
        page = self.go(self.open(), f"#/conversations?ns={self.space}&tab=chat")
        page.locator("#temporary").check()
        sent = []
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        for number in range(10):
            self.say(page, f"函数式编程还是继承？第{number}次")
            expect(page.locator(".say.answer")).to_have_count(number + 1)
        expect(page.get_by_text("From memory:")).to_have_count(0)
        self.assertEqual(len(sent), 10)
        counts = self.server.call("GET", f"/v1/namespaces/{self.space}")
        self.assertEqual(counts["memories"], 1)
        self.assertEqual(counts["queued"], 0)
        self.assertEqual(self.uses(), before)
        page.locator("#temporary").uncheck()
        self.say(page, "你好")
        expect(page.locator(".say.answer")).to_have_count(11)
        turns = self.server.call("GET", f"/v1/namespaces/{self.space}/memories?layer=turn")["memories"]
        self.assertEqual([turn["text"] for turn in turns if turn["turn"]["role"] == "user"], ["你好"])


    def test_enter_sends_and_what_was_said_is_shown_in_its_turn(self):
        page = self.go(self.open(), f"#/conversations?ns={self.space}&tab=chat")
        field = page.locator("#chat textarea")
        field.fill("函数式编程")
        field.press("Shift+Enter")
        expect(page.locator(".say")).to_have_count(0)
        field.press("Enter")
        expect(page.locator(".say.answer")).to_contain_text("I would use a pipe")
        expect(field).to_have_value("")
        # What the prompt got is looked up afterwards.
        self.go(page, f"#/injected?ns={self.space}")
        prompt = page.locator("#injections > li")
        expect(prompt).to_have_count(1)
        expect(prompt).to_contain_text("chat")
        expect(prompt.locator(".injected li", has_text="喜欢函数式编程")).to_have_count(1)


class WithoutModel(PageTest):
    def test_without_a_model_the_page_says_so(self):
        self.server.add("silent", "Ada keeps bees")
        page = self.go(self.open(), "#/conversations?ns=silent&tab=chat")
        expect(page.get_by_role("heading", name="No language model is configured")).to_be_visible()
        expect(page.locator(".empty")).to_contain_text("ANNALS_LLM=")
        expect(page.locator(".empty")).not_to_contain_text("--llm")


class Live(PageTest):
    def test_what_an_agent_stores_is_told_shown_and_taken_back(self):
        # spec: S-111
        self.server.call("PUT", "/v1/namespaces/live", {"profile": "studio"})
        page = self.go(self.open(language="zh"), "#/memories?ns=live")
        page.wait_for_timeout(700)
        self.server.add("live", "喜欢使用 TypeScript 严格模式", kind="preference")
        notice = page.locator(".notice", has_text="我记住了")
        expect(notice).to_contain_text("已添加到记忆：「喜欢使用 TypeScript 严格模式」")
        expect(page.locator(".card")).to_have_count(1)
        notice.get_by_role("button", name="撤销").click()
        expect(page.locator(".card")).to_have_count(0)
        self.assertEqual(self.server.texts("live"), [])


class CompanionPage(PageTest):
    def test_the_page_of_the_companion_is_at_its_own_address_of_this_machine_alone(self):
        # spec: C-127
        self.server.call("PUT", "/v1/namespaces/me", {"profile": "companion"})
        self.server.restart()
        with urllib.request.urlopen("http://127.0.0.1:7861/") as answer:
            self.assertEqual(answer.status, 200)
            self.assertIn("text/html", answer.headers["Content-Type"])
        other = socket.gethostbyname(socket.gethostname())
        if other != "127.0.0.1":
            with self.assertRaises(OSError):
                socket.create_connection((other, 7861), timeout=2)


if __name__ == "__main__":
    unittest.main()
