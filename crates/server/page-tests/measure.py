"""How long the page keeps a person waiting, with many memories: `measure.py URL TOKEN NAMESPACE`."""
import sys

from harness import browser

WATCH = """() => {
    window.waits = [];
    new PerformanceObserver((list) => list.getEntries().forEach((one) => window.waits.push([one.name, one.duration])))
        .observe({ type: 'event', durationThreshold: 16, buffered: true });
}"""


def main(url, token, namespace):
    context = browser().new_context(viewport={"width": 1280, "height": 860})
    context.add_init_script(f"localStorage.setItem('annals-hints-seen', 'yes'); sessionStorage.setItem('annals-token', '{token}')")
    page = context.new_page()
    page.goto(f"{url}/#/memories?ns={namespace}")
    page.locator(".card").first.wait_for()
    page.evaluate(WATCH)
    print(page.locator("#total").inner_text())
    for _ in range(25):
        page.get_by_role("button", name="Load more").click()
        page.wait_for_function("(count) => document.querySelectorAll('.card').length > count", arg=page.locator(".card").count() - 1)
        page.mouse.wheel(0, 2000)
    page.wait_for_timeout(1000)
    shown = page.locator(".card").count()
    answers = []
    page.on("requestfinished", lambda request: answers.append(request.timing["responseEnd"]) if request.url.endswith("/search") else None)
    page.get_by_role("searchbox").first.click()
    page.keyboard.type("who keeps the violin beside the river?", delay=60)
    page.wait_for_timeout(3000)
    waits = sorted(page.evaluate("window.waits").copy(), key=lambda one: -one[1])
    print(f"{shown} cards shown; interactions over 16 ms: {len(waits)}; longest: {waits[:5]}")
    print(f"searches answered: {len(answers)}, slowest {max(answers, default=0):.0f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
