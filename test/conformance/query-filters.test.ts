import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { assertRefused, entityPath, invalid, json, useWire } from '../support/wire.ts';
import { assertAnswer, assertError } from './answers.ts';
import { conforms } from './conforms.ts';

const operators = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;
type Operator = (typeof operators)[number];

function holds(operator: Operator, order: number): boolean {
  const isEqual = order === 0;
  return {
    eq: isEqual,
    ne: !isEqual,
    lt: order < 0,
    le: order <= 0,
    gt: order > 0,
    ge: order >= 0,
  }[operator];
}

/** Of each type, four values in ascending order as JSON and as literals; the traps are orders of text. */
const ascending: readonly (readonly [type: string, values: readonly [json: string, literal: string][]])[] = [
  [
    'Binary',
    [
      ['"AQ=="', "X'01'"],
      ['"AQI="', "X'0102'"],
      ['"Ag=="', "X'02'"],
      ['"/w=="', "X'FF'"],
    ],
  ],
  [
    'Boolean',
    [
      ['false', 'false'],
      ['false', 'false'],
      ['true', 'true'],
      ['true', 'true'],
    ],
  ],
  [
    'DateTime',
    [
      ['"1601-01-01T00:00:00Z"', "datetime'1601-01-01T00:00:00Z'"],
      ['"2020-01-01T00:00:00Z"', "datetime'2020-01-01T00:00:00Z'"],
      ['"2020-01-01T00:00:00.5Z"', "datetime'2020-01-01T00:00:00.5Z'"],
      ['"9999-12-31T23:59:59.9999999Z"', "datetime'9999-12-31T23:59:59.9999999Z'"],
    ],
  ],
  [
    'Double',
    [
      ['-1.5E+10', '-1.5E+10'],
      ['-2.5', '-2.5'],
      ['3.0', '3.0'],
      ['20.0', '20.0'],
    ],
  ],
  [
    'Guid',
    [
      ['"00000000-0000-0000-0000-000000000001"', "guid'00000000-0000-0000-0000-000000000001'"],
      ['"10000000-0000-0000-0000-000000000000"', "guid'10000000-0000-0000-0000-000000000000'"],
      ['"c9da6455-213d-42c9-9a79-3e9149a57833"', "guid'c9da6455-213d-42c9-9a79-3e9149a57833'"],
      ['"ffffffff-ffff-ffff-ffff-ffffffffffff"', "guid'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    ],
  ],
  [
    'Int32',
    [
      ['-20', '-20'],
      ['-3', '-3'],
      ['3', '3'],
      ['20', '20'],
    ],
  ],
  [
    'Int64',
    [
      ['"-9007199254740993"', '-9007199254740993L'],
      ['"3"', '3L'],
      ['"9007199254740992"', '9007199254740992L'],
      ['"9007199254740993"', '9007199254740993L'],
    ],
  ],
  [
    'String',
    [
      ['"B"', "'B'"],
      ['"b"', "'b'"],
      ['"bB"', "'bB'"],
      ['"c"', "'c'"],
    ],
  ],
];

describe('Queries: filters', () => {
  const wire = useWire();

  /** A table of one partition with these members of each entity, whose row keys count from 1. */
  const fill = async (...rows: readonly string[]): Promise<string> => {
    const table = await wire.createTable();
    for (const [index, members] of rows.entries()) {
      await wire.insert(table, `{"PartitionKey":"p","RowKey":"${index + 1}"${members && `,${members}`}}`);
    }
    return table;
  };
  const rowsOf = async (table: string, filter: string): Promise<string> =>
    (await wire.query(table, filter)).map(({ RowKey }) => RowKey).join('');
  const finds = async (table: string, expected: readonly (readonly [string, string])[]): Promise<void> => {
    for (const [filter, rows] of expected) assert.equal(await rowsOf(table, filter), rows, filter);
  };
  const refuses = async (table: string, filter: string, status: string, code: string, message: string) =>
    assertError(wire, await wire.send({ path: `/${table}()?$filter=${encodeURIComponent(filter)}` }), {
      status,
      code,
      message,
    });

  conforms(159, async () => {
    const rows = [0, 1, 2, 3].map(row =>
      ascending
        .map(([type, values]) => `"${type}":${values[row]?.[0]},"${type}@odata.type":"Edm.${type}"`)
        .join(),
    );
    const table = await fill(...rows, '');
    for (const [type, values] of ascending) {
      const ranks = values.map(([, literal]) => values.findIndex(([, other]) => other === literal));
      for (const [at, [, literal]] of values.entries()) {
        for (const operator of operators) {
          const expected = [0, 1, 2, 3]
            .filter(row => holds(operator, (ranks[row] as number) - (ranks[at] as number)))
            .map(row => row + 1);
          const filter = `${type} ${operator} ${literal}`;
          assert.equal(await rowsOf(table, filter), expected.join(''), filter);
        }
      }
    }
  });

  conforms(160, async () => {
    const bits = Array.from({ length: 8 }, (_, row) => [row >> 2, (row >> 1) & 1, row & 1] as const);
    const table = await fill(...bits.map(([a, b, c]) => `"a":${a},"b":${b},"c":${c}`));
    const [a, b, c] = ['a eq 1', 'b eq 1', 'c eq 1'];
    const cases: readonly [filter: string, matches: (a: boolean, b: boolean, c: boolean) => boolean][] = [
      [`${a} or ${b} and ${c}`, (a, b, c) => a || (b && c)],
      [`${a} and ${b} or ${c}`, (a, b, c) => (a && b) || c],
      [`(${a} or ${b}) and ${c}`, (a, b, c) => (a || b) && c],
      [`${a} and (${b} or ${c})`, (a, b, c) => a && (b || c)],
      [`((${a}) or ((${b}))) and (${c})`, (a, b, c) => (a || b) && c],
      [`not (${a})`, a => !a],
      [`not (${a} or ${b} and ${c})`, (a, b, c) => !(a || (b && c))],
      [`not (${a}) and ${b}`, (a, b) => !a && b],
      [`not (${a}) or ${b}`, (a, b) => !a || b],
      [`${a} and not (${b} or ${c})`, (a, b, c) => a && !(b || c)],
      [`not (not (${a}))`, a => a],
    ];
    for (const [filter, matches] of cases) {
      const expected = bits.flatMap(([a, b, c], row) =>
        matches(a === 1, b === 1, c === 1) ? [row + 1] : [],
      );
      assert.equal(await rowsOf(table, filter), expected.join(''), filter);
    }
  });

  conforms(161, async () => {
    const table = await fill('"p":1', '"p":2', '', '"p":null', '"P":1');
    await finds(table, [
      ['p ne 1', '2'],
      ['not (p eq 1)', '2345'],
      ['not (p ne 1)', '1345'],
      ['p ne 3', '12'],
      ["p ne ''", '12'],
      ...['eq', 'lt', 'le', 'gt', 'ge'].map(operator => [`missing ${operator} 1`, ''] as const),
      ['missing ne 1', ''],
      ['not (missing ne 1)', '12345'],
      ['p ne 1 or P ne 2', '25'],
    ]);
  });

  conforms(162, async () => {
    const texts = ['', '10', '2', 'B', 'Z', 'a', 'b', 'bB', 'co-op', 'coop', 'z', 'é', '\u{1f600}', '\ufb01'];
    assert.deepEqual(texts.toSorted(), texts, 'ascending by code unit');
    const table = await wire.createTable();
    const rowKey = (index: number): string => String.fromCharCode(0x41 + index);
    for (const [index, s] of texts.entries()) {
      await wire.insert(table, { PartitionKey: 'p', RowKey: rowKey(index), s });
    }
    for (const [at, text] of texts.entries()) {
      for (const operator of operators) {
        const expected = texts.flatMap((_, index) => (holds(operator, index - at) ? [rowKey(index)] : []));
        const filter = `s ${operator} '${text}'`;
        assert.equal(await rowsOf(table, filter), expected.join(''), filter);
      }
    }
    await finds(table, [
      ["s eq 'BB' or s eq 'bb' or s eq 'É' or s eq 'e\u0301' or s eq 'b '", ''],
      ["PartitionKey eq 'P'", ''],
      ["RowKey eq 'a'", ''],
      ["PartitionKey gt 'P' and RowKey lt 'C'", 'AB'],
    ]);
  });

  conforms(163, async () => {
    const table = await wire.createTable();
    const texts = ['AB', 'a', 'aa', 'ab', 'ab-', 'abc', 'ab\uffee', 'ac', 'b', 'cab'];
    for (const text of texts) {
      await wire.insert(table, { PartitionKey: text, RowKey: '', s: text });
      await wire.insert(table, { PartitionKey: 'rows', RowKey: text });
    }
    const prefixed = ['ab', 'ab-', 'abc', 'ab\uffee'];
    for (const [filter, name] of [
      ["PartitionKey ge 'ab' and PartitionKey lt 'ac'", 'PartitionKey'],
      ["PartitionKey eq 'rows' and RowKey ge 'ab' and RowKey lt 'ac'", 'RowKey'],
      ["RowKey lt 'ac' and RowKey ge 'ab'", 'RowKey'],
      ["s ge 'ab' and s lt 'ac'", 's'],
    ] as const) {
      assert.deepEqual(
        (await wire.query(table, filter)).map(entity => entity[name]),
        prefixed,
        filter,
      );
    }
  });

  conforms(164, async () => {
    const table = await wire.createTable();
    const texts = ["'", "''", "O'Hara", "O''Hara", "' or 'a' eq 'a"];
    for (const [index, text] of texts.entries()) {
      await wire.insert(table, { PartitionKey: text, RowKey: `${index}`, s: text });
    }
    for (const [index, text] of texts.entries()) {
      const literal = `'${text.replaceAll("'", "''")}'`;
      for (const name of ['PartitionKey', 's']) {
        for (const quote of ["'", '%27']) {
          const filter = encodeURIComponent(`${name} eq ${literal}`).replaceAll("'", quote);
          const response = await wire.send({ path: `/${table}()?$filter=${filter}&$select=RowKey` });
          const { value } = response.json<{ value: { RowKey: string }[] }>();
          assert.deepEqual(
            value.map(({ RowKey }) => RowKey),
            [`${index}`],
            filter,
          );
        }
      }
    }
  });

  conforms(165, async () => {
    const table = await fill(
      '"i64@odata.type":"Edm.Int64","i64":"3","d":3.0',
      '"i64@odata.type":"Edm.Int64","i64":"-4","d":-4.0',
      '"i64@odata.type":"Edm.Int64","i64":"30","d":3.5',
    );
    await finds(table, [
      ['i64 eq 3', '1'],
      ['i64 eq -4', '2'],
      ['i64 ne 3', '23'],
      ['i64 gt 3', '3'],
      ['i64 le 3', '12'],
      ['d eq 3', '1'],
      ['d eq -4', '2'],
      ['d ne 3', '23'],
      ['d gt 3', '3'],
      ['d le 3', '12'],
      ['d eq 3L', '1'],
      ['d lt 3L', '2'],
      ['i64 eq 5', ''],
      ['d eq 5', ''],
    ]);
  });

  conforms(166, async () => {
    const table = await fill('"i32":3', '"i32":4', '');
    await finds(table, [
      ['i32 eq 3L', ''],
      ['i32 ne 3L', '12'],
      ['i32 eq 3l', ''],
      ['i32 ne 4L', '12'],
      ['not (i32 eq 3L)', '123'],
      ['i32 lt 3L', '12'],
      ['i32 le 3L', '12'],
      ['i32 gt 3L', ''],
      ['i32 ge 3L', ''],
      ['i32 eq 3', '1'],
      ['i32 ne 3', '2'],
    ]);
  });

  conforms(167, async () => {
    const members =
      '"i32":3,"i64":"3","i64@odata.type":"Edm.Int64","d":3.0,"n":"NaN","n@odata.type":"Edm.Double"';
    const table = await fill(members, '"i32":"3","i64":"3","d":"3.0","n":"NaN"', '');
    for (const [name, texts] of [
      ['i32', ['3']],
      ['i64', ['3', '3L', '"3"']],
      ['d', ['3.0', '3']],
      ['n', ['NaN', '"NaN"']],
    ] as const) {
      for (const text of texts) {
        const isStored = name === 'd' ? text === '3.0' : !/L|"/.test(text);
        await finds(table, [
          [`${name} eq '${text}'`, isStored ? '2' : ''],
          [`'${text}' eq ${name}`, isStored ? '2' : ''],
          [`${name} ne '${text}'`, isStored ? '1' : '12'],
        ]);
      }
    }
    await finds(table, [
      ['i32 eq 3', '1'],
      ['i64 eq 3L', '1'],
      ['d eq 3.0', '1'],
    ]);
  });

  conforms(168, async () => {
    const typed = (date: string, guid: string, binary: string): string =>
      `"date@odata.type":"Edm.DateTime","date":"${date}","guid@odata.type":"Edm.Guid","guid":"${guid}","binary@odata.type":"Edm.Binary","binary":"${binary}"`;
    const table = await fill(
      typed('2008-07-10T00:00:00Z', 'c9da6455-213d-42c9-9a79-3e9149a57833', 'ChtP'),
      typed('2008-07-10T00:00:01Z', 'c9da6455-213d-42c9-9a79-3e9149a57834', 'Chs='),
      '"date":"2008-07-10T00:00:00Z","guid":"c9da6455-213d-42c9-9a79-3e9149a57833","binary":"ChtP"',
      typed('2008-07-10T00:00:02Z', '00000000-0000-0000-0000-000000000000', ''),
    );
    await finds(table, [
      ["date eq datetime'2008-07-10T00:00:00Z'", '1'],
      ["date eq datetime'2008-07-10T00:00:00.0000000Z'", '1'],
      ["date eq datetime'2008-07-10T02:00:00+02:00'", '1'],
      ["date eq datetime'2008-07-10T00:00:00'", '1'],
      ["guid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'", '1'],
      ["guid eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'", '1'],
      ["binary eq X'0A1B4F'", '1'],
      ["binary eq x'0a1b4f'", '1'],
      ["binary eq binary'0a1b4f'", '1'],
      ["binary eq binary'0A1B4F'", '1'],
      ["binary eq X''", '4'],
      ["date eq datetime'2008-07-10T00:00:03Z'", ''],
      ["guid eq guid'c9da6455-213d-42c9-9a79-3e9149a57835'", ''],
      ["binary eq X'0A1C'", ''],
    ]);
  });

  conforms(169, async () => {
    const table = await fill(
      '"i":-3,"d":-15000000000.0,"l":"-3","l@odata.type":"Edm.Int64"',
      '"i":0,"d":-0.0015,"l":"0","l@odata.type":"Edm.Int64"',
      '"i":3,"d":2000.0,"l":"-9223372036854775808","l@odata.type":"Edm.Int64"',
    );
    await finds(table, [
      ['i eq -3', '1'],
      ['i gt -3', '23'],
      ['-1 gt i', '1'],
      ['i ge -2147483648', '123'],
      ['l eq -3L', '1'],
      ['l eq -3', '1'],
      ['l eq -9223372036854775808L', '3'],
      ['d eq -1.5E+10', '1'],
      ['d eq -1.5e10', '1'],
      ['d eq -1.5E-3', '2'],
      ['d eq -0.0015', '2'],
      ['d eq -0.0015D', '2'],
      ['d eq 2E3', '3'],
      ['d eq 2e+3', '3'],
      ['d eq 2000d', '3'],
      ['d lt -1E-300', '12'],
    ]);
  });

  conforms(170, async () => {
    const table = await fill(
      '"f":true,"s":"true","n":1',
      '"f":false,"s":"false","n":5',
      '"f":true,"n":5',
      '',
    );
    await finds(table, [
      ['f', '13'],
      ['(f)', '13'],
      ['not f', '24'],
      ['not (f)', '24'],
      ['f and n gt 3', '3'],
      ['n gt 3 and not f', '2'],
      ['f or n gt 3', '123'],
      ['s', ''],
      ['n', ''],
      ['PartitionKey', ''],
      ['missing', ''],
      ['not s', '1234'],
    ]);
  });

  conforms(171, async () => {
    const table = await fill(
      '"s":"a","i":1,"f":true,"d@odata.type":"Edm.DateTime","d":"2020-01-01T00:00:00Z"',
      '"s":"b","i":2,"f":false,"d@odata.type":"Edm.DateTime","d":"2021-01-01T00:00:00Z"',
      '"s":"c","i":3,"d@odata.type":"Edm.DateTime","d":"2022-01-01T00:00:00Z"',
    );
    await finds(table, [
      ["'p' eq PartitionKey", '123'],
      ["'2' eq RowKey", '2'],
      ["'2' ne RowKey", '13'],
      ["'2' lt RowKey", '3'],
      ["'2' le RowKey", '23'],
      ["'2' gt RowKey", '1'],
      ["'2' ge RowKey", '12'],
      ["'b' lt s", '3'],
      ['2 lt i', '3'],
      ['2 ge i', '12'],
      ['2 ne i', '13'],
      ['true eq f', '1'],
      ["datetime'2021-01-01T00:00:00Z' gt d", '1'],
      ["'p' eq PartitionKey and 1 lt i and 3 gt i", '2'],
    ]);
  });

  conforms(172, async () => {
    const table = await fill('"a":1,"b":1,"s":"x"');
    for (const filter of [
      'a eq b',
      'a lt b',
      'a eq a',
      'RowKey eq PartitionKey',
      '1 eq 1',
      "'x' eq 'x'",
      'true eq true',
      "1 eq 1 and s eq 'x'",
      "s eq 'x' or a eq b",
      'not (a eq b)',
    ]) {
      await refuses(
        table,
        filter,
        '501 Not Implemented',
        'NotImplemented',
        'The requested operation is not implemented on the specified resource.',
      );
    }
  });

  conforms(173, async () => {
    const table = await fill('');
    for (const [filter, position] of [
      ['aaa bbb ccc', 7],
      ["property1 eq 1'invalid'", 23],
    ] as const) {
      const message = `Syntax error at position ${position} in '${filter}'.`;
      await refuses(table, filter, '400 Bad Request', 'InvalidInput', message);
    }
  });

  conforms(175, async () => {
    const table = await fill('', '', '');
    const times = async (): Promise<string[]> =>
      (await wire.query(table)).map(({ Timestamp }) => Timestamp as string);
    const [first, second, third] = await times();
    await finds(table, [
      [`Timestamp ge datetime'${second}'`, '23'],
      [`Timestamp gt datetime'${second}'`, '3'],
      [`Timestamp le datetime'${second}'`, '12'],
      [`Timestamp lt datetime'${second}'`, '1'],
      [`Timestamp eq datetime'${first}'`, '1'],
      [`Timestamp ne datetime'${first}'`, '23'],
      [`Timestamp ge datetime'${first}' and Timestamp lt datetime'${third}'`, '12'],
      ["Timestamp ge datetime'2001-01-01T00:00:00Z'", '123'],
      ["Timestamp gt datetime'2001-01-01'", '123'],
      ["Timestamp ge datetime'9999-12-31T00:00:00Z'", ''],
    ]);
    const path = entityPath(table, 'p', '1');
    const { status } = await wire.send({ method: 'MERGE', path, headers: json, body: '{}' });
    assert.equal(status, 204);
    const [rewritten] = await times();
    await finds(table, [
      [`Timestamp gt datetime'${third}'`, '1'],
      [`Timestamp eq datetime'${rewritten}'`, '1'],
      [`Timestamp eq datetime'${first}'`, ''],
    ]);
  });

  conforms(176, async () => {
    const table = await wire.createTable();
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    for (const n of numbers) await wire.insert(table, { PartitionKey: 'p', RowKey: `${n + 100}`, n });
    const found = async (filter: string): Promise<number[]> =>
      (await wire.query(table, filter)).map(({ n }) => n as number);
    const even = (count: number): string =>
      numbers
        .slice(0, count)
        .map(n => `n eq ${2 * n}`)
        .join(' or ');
    assert.deepEqual(
      await found(even(15)),
      numbers.filter(n => n % 2 === 0 && n < 30),
    );
    const between = numbers.slice(0, 14).map(n => `n ne ${2 * n}`);
    assert.deepEqual(
      await found(`${between.join(' and ')} and n lt 30`),
      numbers.filter(n => n < 30 && (n % 2 === 1 || n >= 28)),
    );
    assert.deepEqual(
      await found(even(100)),
      numbers.filter(n => n % 2 === 0),
    );
    const thousand = [...numbers, ...Array.from({ length: 900 }, (_, index) => -1 - index)];
    const terms = thousand.map(n => `n eq ${n}`);
    assert.equal((await found(terms.join(' or '))).length, 100);
    for (const joint of [' or ', ' and ']) {
      const filter = encodeURIComponent([...terms, 'n eq 1'].join(joint));
      const response = await wire.send({ path: `/${table}()?$filter=${filter}` });
      assertRefused(response, 400, 'InvalidInput', invalid);
    }
  });

  conforms(186, async () => {
    const table = await wire.createTable();
    const reserved = [
      '/',
      '\\',
      '#',
      '?',
      '\t',
      '\u0001',
      '\u001f',
      '\u007f',
      '\u0080',
      '\u009f',
      '%',
      '&',
      '+',
    ];
    const texts = [...reserved.map(character => `a${character}b`), ...reserved];
    for (const [index, s] of texts.entries()) {
      await wire.insert(table, { PartitionKey: 'p', RowKey: `${index + 100}`, s });
    }
    const nothing = '{"odata.metadata":"<base>/$metadata#<table>","value":[]}';
    for (const [index, text] of texts.entries()) {
      for (const name of ['PartitionKey', 'RowKey', 'missing']) {
        const filter = encodeURIComponent(`${name} eq '${text}'`);
        const response = await wire.send({ path: `/${table}()?$filter=${filter}` });
        await assertAnswer(wire, response, { status: '200 OK', body: nothing, table });
      }
      await finds(table, [
        [`s eq '${text}'`, `${index + 100}`],
        [`PartitionKey lt '${text}' and s eq '${text}'`, text > 'p' ? `${index + 100}` : ''],
      ]);
    }
  });

  conforms(188, async () => {
    const typed = (fraction: string): string =>
      `"d@odata.type":"Edm.DateTime","d":"2020-01-01T00:00:00${fraction}Z"`;
    const table = await fill(typed('.0999999'), typed('.1'), typed('.1000001'), typed('.1000002'));
    const at = (fraction: string): string => `datetime'2020-01-01T00:00:00${fraction}Z'`;
    await finds(table, [
      [`d eq ${at('.1000001')}`, '3'],
      [`d ne ${at('.1000001')}`, '124'],
      [`d gt ${at('.1000000')}`, '34'],
      [`d ge ${at('.1000001')}`, '34'],
      [`d lt ${at('.1000001')}`, '12'],
      [`d le ${at('.1000001')}`, '123'],
      [`d eq ${at('.1')}`, '2'],
      [`d eq ${at('.1000000')}`, '2'],
      [`d eq ${at('.0999999')}`, '1'],
      [`d gt ${at('.0999998')} and d lt ${at('.1')}`, '1'],
      [`d gt ${at('.1')} and d lt ${at('.1000001')}`, ''],
      [`d eq ${at('')}`, ''],
    ]);
  });
});
