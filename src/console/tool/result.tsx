import { Copyable } from '../../http/page/rows.tsx'
import { isJsonObject, isJsonArray, type Json } from '../../core/tool/json.ts'
import { truncate, indentedJson } from '../../http/page/text.ts'
import { FoldedList } from '../parts.tsx'

/** Longer JSON is folded. */
const MAX_UNFOLDED_CHARACTERS = 4_000
const MAX_LINKS = 10
const MAX_PICTURES = 10
/** Only pixels: an SVG can contain scripts and links. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/

/** A result for people: its images, its links, and all of it as JSON. */
export function ResultValue({ value, origin }: { value: Json; origin: string }) {
  const text = indentedJson(value)
  const links = [...new Set(listTexts(value).filter((text) => isOpenable(text, origin)))].slice(0, MAX_LINKS)
  return (
    <>
      {listPictures(value).map((src, index) => (
        <img class="picture" src={src} alt={`Image ${index + 1} of the result`} />
      ))}
      <FoldedList
        title="Links"
        items={links.map((url) => (
          <OpenLink url={url}>{truncate(url, 100)}</OpenLink>
        ))}
        isOpen={links.length <= 3}
      />
      {text.length <= MAX_UNFOLDED_CHARACTERS ? (
        <Copyable text={text} />
      ) : (
        <details>
          <summary>JSON, {String(Math.ceil(text.length / 1000))} kB</summary>
          <Copyable text={text} />
        </details>
      )}
    </>
  )
}

export function OpenLink({ url, children }: { url: string; children: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** A result may contain any URL. Only https and the deployment's own origin can be opened. */
export function isOpenable(url: string, origin: string): boolean {
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url)) return false
  const target = new URL(url)
  return target.protocol === 'https:' || target.origin === origin
}

function listTexts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  const children = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return children.flatMap((child) => (child === undefined ? [] : listTexts(child)))
}

function listPictures(value: Json): readonly string[] {
  const content = isJsonObject(value) && isJsonArray(value.content) ? value.content : []
  return content
    .flatMap((block) => {
      if (!isJsonObject(block) || block.type !== 'image') return []
      const { data, mimeType } = block
      if (typeof data !== 'string' || typeof mimeType !== 'string' || !PICTURE.test(mimeType)) return []
      return /^[\w+/=-]+$/.test(data) ? [`data:${mimeType};base64,${data}`] : []
    })
    .slice(0, MAX_PICTURES)
}
