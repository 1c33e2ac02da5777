import { FileStorageErrors, RequestErrors, type OwnedFolder, type OwnedFolderListing } from '@groupware/contracts';
import { ListingCalls, type ListedParts } from './listing-calls';

const folder = (id: number) => ({ id }) as OwnedFolder;
/** A module in which the only folder below another one has its number and a 0. */
const answerTo = async (parts: readonly OwnedFolderListing[]): Promise<ListedParts> => ({
  lists: parts.map(({ below }) => [folder(Number(below) * 10)]),
  stamp: parts.length,
});
const below = (...parents: number[]): OwnedFolderListing[] => parents.map((parent) => ({ below: parent }));
const idsOf = ({ lists }: ListedParts) => lists.map((list) => list?.map(({ id }) => id));

describe('joined calls for parts of the tree', () => {
  let calls: ListingCalls;
  let ask: jest.Mock<Promise<ListedParts>, [readonly OwnedFolderListing[]]>;
  const load = (requester: string, parts: readonly OwnedFolderListing[]) =>
    calls.load('calendar', requester, parts, ask);

  beforeEach(() => {
    calls = new ListingCalls();
    ask = jest.fn(answerTo);
  });

  it('asks once for what one request asks at the same time, and gives each call its own parts', async () => {
    const [one, other] = await Promise.all([load('a', below(1, 2)), load('a', below(3))]);
    expect(ask.mock.calls).toEqual([[below(1, 2, 3)]]);
    expect(idsOf(one)).toEqual([[10], [20]]);
    expect(idsOf(other)).toEqual([[30]]);
    expect(one.stamp).toBe(3);
  });

  it('asks apart for other requesters, other modules, and later calls', async () => {
    await Promise.all([load('a', below(1)), load('b', below(1)), calls.load('tasks', 'a', below(1), ask)]);
    await load('a', below(2));
    expect(ask.mock.calls).toEqual([[below(1)], [below(1)], [below(1)], [below(2)]]);
  });

  it('limits the parts of one call', async () => {
    await Promise.all(Array.from({ length: 40 }, (_each, index) => load('a', below(index))));
    expect(ask.mock.calls.map(([parts]) => parts.length)).toEqual([32, 8]);
  });

  it('lets a part that fails take no other with it', async () => {
    const failure = FileStorageErrors.onlyDots('.');
    ask.mockImplementation(async (parts) => {
      if (parts.some((part) => part.below === 2)) throw failure;
      return answerTo(parts);
    });
    const [one, other] = await Promise.allSettled([load('a', below(1, 2)), load('a', below(2))]);
    expect(one).toMatchObject({ value: { lists: [[folder(10)], undefined], stamp: 1, failure } });
    expect(other).toEqual({ status: 'rejected', reason: failure });
  });

  it('does not ask again a module that does not answer', async () => {
    ask.mockRejectedValue(RequestErrors.serviceUnavailable('calendar'));
    const answers = await Promise.allSettled([load('a', below(1)), load('a', below(2))]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});
