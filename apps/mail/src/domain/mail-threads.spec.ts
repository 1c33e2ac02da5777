import { flattenThread, groupByReferences, parseReferences } from './mail-threads';

const mail = (messageId: string | undefined, ...references: string[]) => ({ messageId, references });

describe('conversations', () => {
  it('MS-13 hold every mail once, whatever the references are', () => {
    const mails = [
      mail('a', 'b'),
      mail('b', 'a'),
      mail('c', 'c'),
      mail(undefined, 'gone'),
      mail('d', 'gone'),
      mail(undefined),
      mail('e', 'a', 'x'),
    ];
    const groups = groupByReferences(mails);
    expect(groups.map((group) => group.map((each) => mails.indexOf(each)))).toEqual([[0, 1, 6], [2], [3, 4], [5]]);
  });

  it('hold copies of a mail as others, where the first one is what answers refer to', () => {
    const mails = [mail('a'), mail('a'), mail('b', 'a'), mail('b', 'x'), mail('x'), mail('c', 'b')];
    const groups = groupByReferences(mails);
    expect(groups.map((group) => group.map((each) => mails.indexOf(each)))).toEqual([[0, 2, 5], [1], [3, 4]]);
  });

  it('are found among many mails at once', () => {
    const chain = Array.from({ length: 20_000 }, (_each, index) => mail(`m${index}`, `m${index + 1}`));
    expect(groupByReferences(chain)).toHaveLength(1);
  });

  it('are told with their depths', () => {
    const thread = {
      uid: 1,
      children: [
        { uid: 0, children: [{ uid: 3, children: [] }] },
        { uid: 2, children: [] },
      ],
    };
    expect(flattenThread(thread)).toEqual([
      { uid: 1, level: 0 },
      { uid: 3, level: 1 },
      { uid: 2, level: 1 },
    ]);
  });

  it('are made of message ids', () => {
    expect(parseReferences('<a@x> junk <b@x>', undefined, 'Re: <c@x>')).toEqual(['<a@x>', '<b@x>', '<c@x>']);
  });
});
