import { judged, list, text } from '../../core/tool/json-reader.ts'

/** `host` or `host:port` as the URL Standard writes them: lower case, IPv6 in brackets, other scripts in Punycode. */
export const allowedHost = judged(
  text(
    "a host such as 'api.example.com', or 'api.example.com:8443'",
    (entry) => !/[/?#@\\*\s]/.test(entry) && URL.canParse(`https://${entry}`),
  ),
  (entry) => {
    const { host, port } = new URL(`https://${entry}`)
    // A port that is the scheme's own is not in a URL's host
    const written = port === '' && entry.endsWith(':443') ? `${host}:443` : host
    return written === entry
      ? undefined
      : `Must be written as URLs write hosts: did you mean '${written.slice(0, 100)}'?`
  },
)

export const allowedHosts = list(allowedHost, { most: 32 })
