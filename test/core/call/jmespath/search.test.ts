import { expect, it } from 'vitest'
import { createSearch } from '../../../../src/core/call/jmespath/search.ts'
import type { Json } from '../../../../src/core/tool/json.ts'
import { effortOf, MOST_EFFORT } from '../../../effort.ts'

function searched(expression: string, value: Json) {
  const read = createSearch(expression)
  if (!read.ok) throw new Error(`${expression}: ${read.message}`)
  return read.search(value)
}
const select = (expression: string, value: Json) => {
  const found = searched(expression, value)
  return found.ok ? found.value : `! ${found.why}`
}

const DATA = {
  'a': { b: { c: 7 }, 'two words': 1, 'list': [[1, 2], 3, [4, [5]]] },
  'people': [
    { name: 'Ann', age: 41, tags: ['x'] },
    { name: 'Bob', age: 9, tags: [] },
    { name: 'Cy', age: 41 },
  ],
  'zero': 0,
  'none': null,
  'ü': 'ü',
}

it.each<readonly [string, Json]>([
  ['a.b.c', 7],
  ['a."two words"', 1],
  ['"ü"', 'ü'],
  ['a.missing.c', null],
  ['people[0].name', 'Ann'],
  ['people[-1].name', 'Cy'],
  ['people[9]', null],
  ['people[*].name', ['Ann', 'Bob', 'Cy']],
  ['people[*].tags', [['x'], []]],
  ['people[].tags[]', ['x']],
  ['people[:2].age', [41, 9]],
  ['people[::-1].name', ['Cy', 'Bob', 'Ann']],
  ['people[-2:].name', ['Bob', 'Cy']],
  ['people[5:1:-2].name', ['Cy']],
  ['a.list[]', [1, 2, 3, 4, [5]]],
  ['a.list[][]', [1, 2, 3, 4, 5]],
  ['a.*.c', [7]],
  ['people[?age > `10`].name', ['Ann', 'Cy']],
  ["people[?name == 'Bob' || tags].name", ['Ann', 'Bob']],
  ['people[?!tags].name', ['Bob', 'Cy']],
  ['people[?age >= `9` && age != `41`].name', ['Bob']],
  ["people[?name < 'B'].name", []],
  ['people[0].[name, age]', ['Ann', 41]],
  ['people[1].{who: name, years: age, no: nothing}', { who: 'Bob', years: 9, no: null }],
  ['none.{a: b}', null],
  ['none.[a]', null],
  ['people[*].name | [0]', 'Ann'],
  ['zero || `1`', 0],
  ['none || `[]` || zero', 0],
  ['a.b == `{"c": 7}`', true],
  ['a.list == `[[1, 2], 3]`', false],
  ["'it\\'s'", "it's"],
  ['`"\\`"`', '`'],
  ['@.zero', 0],
  ['(none || a).b.c', 7],
  ['{__proto__: zero}', Object.fromEntries([['__proto__', 0]])],
])('a selection evaluates %s as specified', (expression, wanted) => {
  expect(select(expression, DATA)).toEqual(wanted)
})

it.each<readonly [string, Json]>([
  ['abs(`-3`)', 3],
  ['avg(people[].age)', 91 / 3],
  ['avg(`[]`)', null],
  ['ceil(`1.2`)', 2],
  ['floor(`1.8`)', 1],
  ["contains('abc', 'b')", true],
  ["contains('abc', `1`)", false],
  ['contains(a.list, `[1, 2]`)', true],
  ["ends_with('abc', 'bc')", true],
  ["starts_with('abc', 'bc')", false],
  ["join(', ', people[].name)", 'Ann, Bob, Cy'],
  ['keys(a)', ['b', 'two words', 'list']],
  ['values(a.b)', [7]],
  ['length(people)', 3],
  ["length('ü😀')", 2],
  ['length(a)', 3],
  ['map(&age, people)', [41, 9, 41]],
  ['map(&nothing, people)', [null, null, null]],
  ['max(people[].age)', 41],
  ['max(`[]`)', null],
  ['min(people[].name)', 'Ann'],
  ['max_by(people, &age).name', 'Ann'],
  ['min_by(people, &name).name', 'Ann'],
  ['max_by(people, &name).name', 'Cy'],
  ['min_by(`[]`, &name)', null],
  ['merge(a.b, `{"d": 1}`, `{"c": 2}`)', { c: 2, d: 1 }],
  ['not_null(none, zero, a)', 0],
  ['not_null(none)', null],
  ['reverse(people[].age)', [41, 9, 41]],
  ["reverse('a😀')", '😀a'],
  ['sort(`[10, 9, 100, -1]`)', [-1, 9, 10, 100]],
  ['sort(people[].name) | reverse(@)', ['Cy', 'Bob', 'Ann']],
  ['sort_by(people, &age)[].name', ['Bob', 'Ann', 'Cy']],
  ['sum(people[].age)', 91],
  ['sum(`[]`)', 0],
  ['to_array(zero)', [0]],
  ['to_array(a.list[0])', [1, 2]],
  ["to_number('1e2')", 100],
  ["to_number('0x10')", null],
  ["to_number('')", null],
  ['to_number(a)', null],
  ['to_string(a.b)', '{"c":7}'],
  ["to_string('x')", 'x'],
  [
    '[type(a), type(people), type(zero), type(none), type(!zero), type(people[0].name)]',
    ['object', 'array', 'number', 'null', 'boolean', 'string'],
  ],
])('a selection evaluates the function call %s as specified', (expression, wanted) => {
  expect(select(expression, DATA)).toEqual(wanted)
})

it.each([
  ['length(zero)', 'length() takes an array, an object or a string as argument 1, and was given number'],
  ['abs(a)', 'abs() takes a number as argument 1, and was given object'],
  ["join('', a.list)", 'join() takes an array of strings as argument 2, and was given an array of something else'],
  ['sum(people)', 'sum() takes an array of numbers as argument 1'],
  ['max(a.list)', 'max() takes an array of numbers, or of strings, as argument 1'],
  ['sort_by(people, &tags)', 'a number for each item, or a string for each'],
  ['keys(people)', 'keys() takes an object as argument 1'],
  ["contains(zero, 'a')", 'contains() takes an array or a string as argument 1'],
  ['starts_with(zero, zero)', 'starts_with() takes a string as argument 1'],
  ['sum(`[1e308, 1e308]`)', 'sum() gives no finite number'],
])('a selection fails on %s with the reason', (expression, why) => {
  const found = searched(expression, DATA)
  expect(found).toMatchObject({ ok: false, why: expect.stringContaining(why) })
})

it("a selection reads only a value's own fields, and never an expression inside the value", () => {
  const value = { l: [{ x: 1 }], e: { expref: true, type: 'Field', name: 'x' } }
  for (const name of [
    'constructor',
    '"__proto__"',
    'toString',
    'l[0].constructor.name',
    'l.length',
    'l[0]."hasOwnProperty"',
  ]) {
    expect([name, select(name, value)]).toEqual([name, null])
  }
  expect(createSearch('map(e, l)').ok).toBe(false)
  expect(select('e', value)).toEqual(value.e)
})

it.each<[expression: string, message: string, at?: number]>([
  ['', 'the expression is incomplete', 0],
  ['  ', 'the expression is incomplete', 2],
  ['a.b.', 'the expression is incomplete', 4],
  ['a[?b == `1`', 'the expression is incomplete', 11],
  ['{a: b', 'the expression is incomplete', 5],
  ['foo bar', "'bar' cannot stand there", 4],
  ['[a b]', "'b' cannot stand there", 3],
  ['{a: b c: d}', "'c' cannot stand there", 6],
  ['[a,]', "']' cannot stand there", 3],
  ['max(a,)', "')' cannot stand there", 6],
  ['a..b', "'.' cannot stand there", 2],
  ['a.1', "'1' cannot stand there", 2],
  ['a[1-2]', "'1' cannot stand there", 2],
  ['a#b', "'#' cannot stand there", 1],
  ['a = b', "'=' cannot stand there", 2],
  ['a + b', "'+' cannot stand there", 2],
  ['$.a', "'$' cannot stand there", 0],
  ['a ? b : c', "'?' cannot stand there", 2],
  ["a == 'b", "' is not closed", 5],
  ['a."b', '" is not closed', 2],
  ['a == `1', '` is not closed', 5],
  ['a == `{`', 'the literal is not JSON', 5],
  ['"\\x"', 'the name is not JSON', 0],
  ['nope(@)', "there is no function 'nope'"],
  ['group_by(a, &b)', "there is no function 'group_by'"],
  ['length()', "the function 'length' takes 1 argument, and has 0"],
  ['contains(a)', "the function 'contains' takes 2 arguments, and has 1"],
  ['merge()', "the function 'merge' takes at least 1 argument, and has 0"],
  ['sort_by(a, b)', "the function 'sort_by' takes one expression (&), as argument 2"],
  ['length(&a)', "the function 'length' takes no expression (&)"],
  ['&a', "'&' is for arguments of functions alone"],
  ['[&a]', "'&' is for arguments of functions alone"],
  ['a[::0]', 'the step of a slice cannot be 0'],
  ['x'.repeat(2_001), 'at most 2000 characters are taken, and it has 2001'],
  [`${'!'.repeat(70)}a`, 'nest deeper than 64 levels'],
  [`${'a.'.repeat(70)}a`, 'nest deeper than 64 levels'],
  ['('.repeat(1_000), 'the expression is incomplete', 1_000],
  ['['.repeat(1_000), 'the expression is incomplete', 1_000],
])('an invalid expression %j is refused with its error and location', (expression, message, at) => {
  const read = createSearch(expression)
  expect(read).toMatchObject({ ok: false, message: expect.stringContaining(message) })
  expect(!read.ok && read.at).toBe(at)
})

const items = Array.from({ length: 30_000 }, (_, id) => ({
  id,
  name: `n${id}`,
  price: id % 100,
  text: 'x'.repeat(60),
}))
const large = { items }
const wide = { o: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index * 7_919}`, index])) }
const texts = { t: 'a'.repeat(1_000_000), u: `${'a'.repeat(500_000)}b` }

it('work: selecting a little of an output of megabytes is cheap', () => {
  expect(JSON.stringify(large).length).toBeGreaterThan(3_000_000)
  expect(select('items[?price > `98`].name | length(@)', large)).toBe(300)
  expect(select('sort_by(items, &price)[:2].name', large)).toEqual(['n0', 'n100'])
  expect(select('items[].price | max(@)', large)).toBe(99)
  expect(select('items[-1].id', large)).toBe(29_999)
  expect(select('length(t)', texts)).toBe(1_000_000)
})

it.each<readonly [string, Json]>([
  [`[items,items]${'|[@,@]'.repeat(30)}`, large],
  [`[${'items,'.repeat(300)}items] | [?@ == @]`, large],
  ['items[?@ == @] | [?@ == @] | [?@ == @] | [?@ == @]', large],
  ['items[*].[@,@,@,@,@,@,@,@][].[@,@,@,@,@,@,@,@][].[@,@,@,@][].id', large],
  ['map(&sort_by(@, &id), [items, items, items, items, items, items])', large],
  ['join(to_string(items), items[].name)', large],
  ['contains(t, u)', texts],
  ['[t,t,t,t,t,t,t,t] | [@,@,@,@,@,@,@,@] | to_string(@)', texts],
  ['reverse(t) | reverse(@)', { t: 'ä'.repeat(2_000_000) }],
  [`[${'!o,'.repeat(600)}!o]`, wide],
  [`[${'keys(o),'.repeat(200)}o]`, wide],
  [`merge(${'o,'.repeat(900)}o)`, wide],
  ['o == o', wide],
  ['[o.*, o.*, o.*, o.*, o.*, o.*, o.*, o.*, o.*]', wide],
])('work: %s stops with a reason', (expression, value) => {
  expect(searched(expression, value)).toEqual({
    ok: false,
    why: expect.stringMatching(/^It takes too much work: select less, or in fewer steps$|^It outgrows the output by/),
  })
  expect(effortOf(() => searched(expression, value))).toBeLessThan(4 * MOST_EFFORT)
})
