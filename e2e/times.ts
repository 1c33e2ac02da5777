/** An instant as events write it: `20310610T080000Z`. @param instantMs ms UTC */
export const toEventTime = (instantMs: number): string =>
  new Date(instantMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
