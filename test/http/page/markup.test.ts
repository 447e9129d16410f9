import { describe, expect, it } from 'vitest'
import { bounded, html } from '../../../src/http/page/markup.ts'

describe('markup', () => {
  it('takes what is put into it as text, and other markup as markup', () => {
    const inner = html`<b>${'<&>"\''}</b>`
    expect(html`<p title="${'"x"'}">${inner}${['a', inner]}${undefined}</p>`.text).toBe(
      '<p title="&quot;x&quot;"><b>&lt;&amp;&gt;&quot;&#39;</b>a<b>&lt;&amp;&gt;&quot;&#39;</b></p>',
    )
  })

  it.each([
    ['\u202eabc', '\\u202eabc'],
    ['a\u200bb\u0000', 'a\\u200bb\\u0000'],
    // Fillers, joiners and variation selectors that are letters or marks to Unicode, and the empty Braille pattern
    ['a\u3164b\u2800c', 'a\\u3164b\\u2800c'],
    ['\u034f\u115f\u1160\uffa0\ufe0f\u180b', '\\u034f\\u115f\\u1160\\uffa0\\ufe0f\\u180b'],
    ['\u{e0100}\u{e0041}', '\\ue0100\\ue0041'],
    ['é 日本語 אב ⠁ \u00a0', 'é 日本語 אב ⠁ \u00a0'],
    ['\ud800', '\\ud800'],
    ['\u{e0041}', '\\ue0041'],
    // What is seen as a part of a picture is no escape, and nowhere else
    ['👩‍👩‍👧 ❤️ 👍🏽‍❤️', '👩‍👩‍👧 ❤️ 👍🏽‍❤️'],
    ['a\u200d👩 👩\u200db 👩\u200d', 'a\\u200d👩 👩\\u200db 👩\\u200d'],
    ['❤️\ufe0f a\ufe0f 👩\u200d\u200d👩 👩\u200b👩', '❤️\\ufe0f a\\ufe0f 👩\\u200d\\u200d👩 👩\\u200b👩'],
    ['two\nlines, é, 日本, 👍', 'two\nlines, é, 日本, 👍'],
  ])('spells out what cannot be seen: %j', (text, written) => {
    expect(html`${text}`.text).toBe(written)
  })

  it('bounds a text without cutting a character', () => {
    expect(bounded('abc', 3)).toBe('abc')
    expect(bounded('abcd', 3)).toBe('abc…')
    expect(bounded('ab👍', 3)).toBe('ab…')
  })
})
