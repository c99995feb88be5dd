"""Namespaces: made, counted, several deleted at once."""
import unittest

from harness import PageTest, expect


class Overview(PageTest):
    def test_a_namespace_is_made_with_a_profile(self):
        page = self.go(self.open(), "#/overview")
        page.get_by_role("button", name="New namespace").first.click()
        page.get_by_role("dialog").get_by_label("Name").fill("user:made")
        page.get_by_role("dialog").get_by_label("Profile").select_option("studio")
        page.get_by_role("dialog").get_by_role("button", name="Create").click()
        expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
        self.assertEqual(self.server.call("GET", "/v1/namespaces/user%3Amade")["profile"], "studio")

    def test_several_namespaces_are_deleted_with_what_goes(self):
        for name in ["old:one", "old:two", "stays"]:
            self.server.add(name, f"Something about {name}")
        page = self.go(self.open(), "#/overview")
        page.get_by_label("Select old:one").check()
        page.get_by_label("Select old:two").check()
        page.locator(".selectbar").get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Delete 2 namespaces?")
        expect(dialog).to_contain_text("2 memories go for good")
        sure = dialog.get_by_role("button", name="Delete for good")
        expect(sure).to_be_disabled()
        dialog.get_by_role("textbox").fill("old:one")
        sure.click()
        expect(page.get_by_role("link", name="old:one")).to_have_count(0)
        names = [one["name"] for one in self.server.call("GET", "/v1/namespaces")["namespaces"]]
        self.assertIn("stays", names)
        self.assertFalse({"old:one", "old:two"} & set(names))


if __name__ == "__main__":
    unittest.main()
