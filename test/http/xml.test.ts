import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { childrenByName, escapeXml, formatText, parseXml, type XmlElement } from '../../src/http/xml.ts';
import * as limits from '../../src/limits.ts';

function parse(text: string): XmlElement {
  return parseXml(Buffer.from(text));
}

const refused = { code: 'InvalidXmlDocument', status: 400 };

describe('a document of XML', () => {
  it('is read as elements with text or elements', () => {
    assert.deepEqual(parse('<a><b>x &amp; y</b><c/><d><![CDATA[<z>]]></d></a>'), {
      name: 'a',
      text: '',
      children: [
        { name: 'b', text: 'x & y', children: [] },
        { name: 'c', text: '', children: [] },
        { name: 'd', text: '<z>', children: [] },
      ],
    });
  });

  it('may have a declaration, a byte order mark, white space, comments, attributes and a name space', () => {
    const text =
      '\ufeff  <?xml version="1.0" encoding="utf-8"?>\n<!-- who --><a xmlns="urn:x" b="c">\n  <b> x </b><!-- y -->\n</a>\n';
    assert.deepEqual(parse(text), {
      name: 'a',
      text: '',
      children: [{ name: 'b', text: 'x', children: [] }],
    });
    assert.equal(parse('<p:a xmlns:p="urn:x"/>').name, 'a');
  });

  it('is refused where it is not well-formed', () => {
    for (const text of [
      '',
      ' ',
      'text',
      '<a>',
      '<a></b>',
      '<a/><b/>',
      '<a><b></a></b>',
      '<a>&unknown;</a>',
      '<a b=c/>',
      '<a b="1" b="2"/>',
      '<1/>',
      '<a>\u0000</a>',
      '<a/>trailing',
      '{"a":1}',
    ]) {
      assert.throws(() => parse(text), refused, JSON.stringify(text));
    }
  });

  it('is refused with a document type, whose entities could grow without bound', () => {
    assert.throws(() => parse('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), refused);
    assert.throws(() => parse('<!doctype a><a/>'), refused);
  });

  it('is refused where text stands between elements, where it is deep, and where it is long', () => {
    assert.throws(() => parse('<a>x<b/></a>'), refused);
    const nested = (depth: number): string => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    parse(nested(limits.xmlDepthMax + 1));
    assert.throws(() => parse(nested(limits.xmlDepthMax + 2)), refused);
    assert.throws(() => parse(nested(5000)), refused);
    const long = `<a>${'x'.repeat(limits.xmlBodyBytesMax - 7)}</a>`;
    parse(long);
    assert.throws(() => parse(`${long} `), refused);
  });

  it('gives children by name, each at most once, and none that is not expected', () => {
    const { b, c } = childrenByName(parse('<a><c>2</c></a>'), ['b', 'c']);
    assert.equal(b, undefined);
    assert.equal(c?.text, '2');
    assert.throws(() => childrenByName(parse('<a><c/><c/></a>'), ['b', 'c']), refused);
    assert.throws(() => childrenByName(parse('<a><x/></a>'), ['b', 'c']), refused);
  });

  it('is written with its signs escaped, and without the characters that it cannot hold', () => {
    assert.equal(formatText('a', ''), '<a />');
    assert.equal(formatText('a', '<&>"'), '<a>&lt;&amp;&gt;"</a>');
    assert.equal(escapeXml('a\u0000\u000b\ufffe\ud800b\t\n'), 'a\ufffd\ufffd\ufffd\ufffdb\t\n');
  });
});
