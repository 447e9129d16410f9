/** Both color schemes have a contrast of at least 4.5:1. On phones, table cells become labeled lines, so none is cut off. */
export const STYLE = `
:root{ color-scheme:light dark;--text:light-dark(#1c1b1a,#ecebe8);--soft:light-dark(#5b5954,#b3b0a8);--page:light-dark(#fbfbfa,#151514);--card:light-dark(#fff,#1d1c1b);--line:light-dark(#d9d6cf,#45433f);--inset:light-dark(#f1efea,#2e2d2b);--go:light-dark(#0b5a4a,#7fd1bd);--bad:light-dark(#a3261b,#ff9d90);--go-text:light-dark(#fff,#10211d)}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--page)}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{background:var(--inset);padding:.1em .3em;border-radius:.25rem}
pre{background:var(--inset);padding:.75rem;border-radius:.5rem;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{padding:0}
ul,ol{margin:.5rem 0;padding-left:1.25rem}
li{padding:.15rem 0}
.menu ul{list-style:none;margin:0;padding:0}
.menu li{padding:0}
.menu a{display:block;padding:.25rem .5rem;border-radius:.4rem;text-decoration:none}
.menu a:hover{text-decoration:underline}
.menu a[aria-current]{background:var(--inset);font-weight:600}
dl{display:grid;grid-template-columns:fit-content(40%) minmax(0,1fr);gap:.35rem 1rem;margin:0}
dt{color:var(--soft)}
dd{margin:0}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 1rem}
label{flex:1 1 100%}
label.choice{display:flex;gap:.6rem;align-items:baseline}
label.choice input{width:auto;flex:none;margin:0}
input,select,textarea{font:inherit;display:block;width:100%;margin-top:.25rem;padding:.5rem .6rem;border-radius:.5rem;border:1px solid var(--soft);background:var(--page);color:inherit}
button{font:inherit;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;border:1px solid var(--soft);background:transparent;color:inherit;cursor:pointer;max-width:100%;overflow-wrap:anywhere}
a.button{display:inline-block;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;text-decoration:none;background:var(--go);color:var(--go-text);max-width:100%}
button.go{background:var(--go);border-color:var(--go);color:var(--go-text)}
a{color:inherit}
::placeholder{color:var(--soft);opacity:1}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
.note{font-size:.875rem;color:var(--soft)}
.brand{font-weight:700;text-decoration:none}
.brand::before{content:'';display:inline-block;width:1.25em;height:1.25em;margin-right:.4em;vertical-align:-.25em;background:url(/favicon.ico) 0/contain no-repeat}
.icon{height:1.25em;max-width:2.5em;object-fit:contain;vertical-align:-.25em;margin-right:.35em}
.care{border-left:.25rem solid light-dark(#9a6700,#e3b341);padding-left:.75rem}
.care[role]{border-color:var(--bad)}
table{overflow-wrap:break-word;border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--soft);white-space:nowrap}
.long,th code{overflow-wrap:anywhere}
.long{min-width:8rem}
.scroll{overflow-x:auto}
.skip{position:absolute;left:-100vw}
.skip:focus{z-index:2;left:.5rem;top:.5rem;padding:.5rem;background:var(--card)}
summary{cursor:pointer}
button.quiet{min-height:2.25rem;padding:.3rem .75rem;font-weight:400;flex:none}
.copyable{position:relative;margin:.5rem 0}
.copyable pre{padding-right:5rem}
.copyable .copy{position:absolute;top:.3rem;right:.3rem;display:flex;gap:.35rem}
.copy button{background:var(--inset)}
@media (max-width:40rem){table,tbody,tr,tbody th,td{display:block} thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden} tr{padding:.5rem 0;border-bottom:1px solid var(--line)} tbody th,td{position:relative;border:0;padding:.1rem 0;min-height:1.6rem} [data-label]{padding-left:6rem} td:empty{display:none} [data-label]::before{content:attr(data-label);position:absolute;left:0;max-width:5.75rem;font-size:.875rem;color:var(--soft)} }
@media (max-width:26rem){dl{grid-template-columns:1fr;gap:0} dd{margin-bottom:.5rem} button{flex:1 1 100%} }
`

export const CARD = `
body{padding:1rem}
main{max-width:36rem;margin:4vh auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
header{font-size:.875rem;color:var(--soft)}
h1{font-size:1.4rem;line-height:1.3;margin:.25rem 0 1rem}
ul{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:.5rem}
li{padding:.6rem .75rem}
li + li{border-top:1px solid var(--line)}
ul[role='list'] code{display:block;width:fit-content;max-width:100%;color:var(--soft)}
@media (max-width:26rem){main{padding:1rem;margin:0 auto} }
`
