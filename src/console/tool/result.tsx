import { isJsonObject, isJsonArray, type Json } from '../../core/tool/json.ts'
import { indentedJson } from '../../http/page/text.ts'
import { JsonTree } from './tree.tsx'

const MAX_PICTURES = 10
/** Only pixels: an SVG can contain scripts and links. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/

/** Shows a result to people: its images, its values as a tree, and all of it as JSON. */
export function ResultValue({ value, origin }: { value: Json; origin: string }) {
  const text = indentedJson(value)
  return (
    <>
      {listPictures(value).map((src, index) => (
        <img class="picture" src={src} alt={`Image ${index + 1} of the result`} />
      ))}
      <div class="copyable" data-file="result.json">
        <JsonTree value={value} origin={origin} />
        <details open={typeof value !== 'object' || value === null}>
          <summary>JSON, {String(Math.ceil(text.length / 1000))} kB</summary>
          <pre>{text}</pre>
        </details>
      </div>
    </>
  )
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
