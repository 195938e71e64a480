import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import { type FilterNode, type Operator, operators, type Value } from './nodes.ts';
import { syntaxError, type Token, tokenize } from './tokens.ts';

type Operand =
  | { readonly kind: 'property'; readonly property: string }
  | { readonly kind: 'literal'; readonly value: Value };

const mirrored: Record<Operator, Operator> = { eq: 'eq', ne: 'ne', gt: 'lt', ge: 'le', lt: 'gt', le: 'ge' };

/**
 * A `$filter`, or undefined for a blank one (REST: Querying Tables and Entities). Keywords are lower-case.
 * Throws InvalidInput with the position of a syntax error, and NotImplemented for what OData has and the
 * Table service does not: a property beside a property, a literal beside a literal, functions, null.
 */
export function parseFilter(filter: string): FilterNode | undefined {
  if (filter.trim() === '') return undefined;
  return new FilterParser(filter).parse();
}

class FilterParser {
  readonly #filter: string;
  readonly #tokens: Token[];
  #at = 0;
  #depth = 0;
  #comparisons = 0;

  constructor(filter: string) {
    this.#filter = filter;
    this.#tokens = tokenize(filter);
  }

  parse(): FilterNode {
    const node = this.#parseOr();
    if (this.#peek().kind !== 'end') throw this.#errorAt(this.#peek());
    return node;
  }

  #parseOr(): FilterNode {
    let left = this.#parseAnd();
    while (this.#takeWord('or')) left = { kind: 'or', left, right: this.#parseAnd() };
    return left;
  }

  #parseAnd(): FilterNode {
    let left = this.#parseUnary();
    while (this.#takeWord('and')) left = { kind: 'and', left, right: this.#parseUnary() };
    return left;
  }

  #parseUnary(): FilterNode {
    if (!this.#takeWord('not')) return this.#parsePrimary();
    this.#enter();
    const operand = this.#parseUnary();
    this.#depth--;
    return { kind: 'not', operand };
  }

  /** A parenthesis opens either a filter, or an operand of a comparison: `(Age) eq 3`. */
  #parsePrimary(): FilterNode {
    if (this.#peek().kind !== 'open' || this.#isLiteralAhead()) {
      return this.#parseComparison(this.#parseOperand());
    }
    this.#enter();
    this.#take();
    const inner = this.#parseOr();
    const closing = this.#take();
    if (closing.kind !== 'close') throw this.#errorAt(closing);
    this.#depth--;
    const operand = this.#peekOperator() === undefined ? undefined : asOperand(inner);
    return operand === undefined ? inner : this.#parseComparison(operand);
  }

  #parseComparison(left: Operand): FilterNode {
    // A property or a constant alone counts, too: each is a level of the tree.
    if (++this.#comparisons > limits.filterComparisonsMax) throw new ServiceError('InvalidInput');
    const operator = this.#peekOperator();
    if (operator === undefined) {
      if (left.kind === 'property') return left;
      if (left.value.type === 'Edm.Boolean') return { kind: 'constant', value: left.value.value };
      throw this.#errorAt(this.#peek());
    }
    this.#take();
    const right = this.#parseOperand();
    if (left.kind === right.kind) throw new ServiceError('NotImplemented');
    if (left.kind === 'property') {
      return {
        kind: 'comparison',
        property: left.property,
        operator,
        literal: (right as { value: Value }).value,
      };
    }
    const { property } = right as { property: string };
    return { kind: 'comparison', property, operator: mirrored[operator], literal: left.value };
  }

  #parseOperand(): Operand {
    const token = this.#take();
    if (token.kind === 'open') {
      this.#enter();
      const operand = this.#parseOperand();
      const closing = this.#take();
      if (closing.kind !== 'close') throw this.#errorAt(closing);
      this.#depth--;
      return operand;
    }
    if (token.kind === 'literal') return { kind: 'literal', value: token.value as Value };
    if (token.kind !== 'word' || isKeyword(token.text)) throw this.#errorAt(token);
    if (token.text === 'null' || this.#peek().kind === 'open') throw new ServiceError('NotImplemented');
    return { kind: 'property', property: token.text };
  }

  /** Whether the parentheses that open here hold a literal and nothing else: `(3) lt Age`. */
  #isLiteralAhead(): boolean {
    let depth = 0;
    while (this.#tokens[this.#at + depth]?.kind === 'open') depth++;
    const [literal, ...closing] = this.#tokens.slice(this.#at + depth, this.#at + 2 * depth + 1);
    return literal?.kind === 'literal' && closing.every(({ kind }) => kind === 'close');
  }

  #enter(): void {
    if (++this.#depth > limits.filterDepthMax) throw new ServiceError('InvalidInput');
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #takeWord(text: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'word' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #peekOperator(): Operator | undefined {
    const token = this.#peek();
    return token.kind === 'word' ? operators.find(operator => operator === token.text) : undefined;
  }

  #errorAt(token: Token): ServiceError {
    return syntaxError(token.end, this.#filter);
  }
}

function isKeyword(text: string): boolean {
  return text === 'and' || text === 'or' || text === 'not' || (operators as readonly string[]).includes(text);
}

function asOperand(node: FilterNode): Operand | undefined {
  if (node.kind === 'property') return node;
  if (node.kind === 'constant') return { kind: 'literal', value: { type: 'Edm.Boolean', value: node.value } };
  return undefined;
}
