/**
 * Handles ids page by page, in their order.
 * @param list ids after one of them; an empty page is the end
 */
export async function forEachPage(
  list: (after: number) => Promise<readonly number[]>,
  handle: (ids: readonly number[]) => Promise<void>,
): Promise<void> {
  for (let page = await list(0); page.length > 0; page = await list(page.at(-1)!)) await handle(page);
}
