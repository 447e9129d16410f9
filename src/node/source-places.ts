import { SourceMap, type SourceMapPayload } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

/** Makes a function that has a text name the places of the sources instead of those of a bundle, as in a stack trace. */
export function sourcePlaces(root: string, bundle: string, map: SourceMapPayload): (text: string) => string {
  const places = new SourceMap(map)
  return (text) =>
    text.replaceAll(/[^\s("'\\]*?([\w.-]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
      const found = places.findOrigin(Number(line), Number(column))
      if (file !== basename(bundle) || !('fileName' in found) || !found.fileName) return place
      return `${relative(root, join(dirname(bundle), found.fileName))}:${found.lineNumber}:${found.columnNumber}`
    })
}
