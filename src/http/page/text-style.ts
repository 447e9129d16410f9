/**
 * Of a page that is read at length, in place of a card: lines as long as they are read with ease, and code and tables as wide as
 * there is room.
 */
export const TEXT_STYLE = `
main{margin:0 auto;padding:1.5rem max(1.25rem,calc(50% - 32rem)) 4rem;overflow-wrap:anywhere}
header{font-size:.875rem;color:var(--soft)}
h1{font-size:1.8rem;line-height:1.25;margin:.25rem 0 1rem}
h2{font-size:1.35rem;line-height:1.3;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
h1,h2,h3,p,main ul{max-width:70ch}
main ul{list-style:disc;border:0;padding-left:1.25rem;margin:.75rem 0}
main li{padding:.15rem 0}
main li + li{border:0}
pre{margin:.75rem 0}
.scroll{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;overflow-wrap:break-word}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);min-width:6rem}
th{color:var(--soft);font-weight:400}
main ul.list{list-style:none;padding:0}
.list li{padding:.4rem 0}
.list p{margin:0;color:var(--soft)}
dl{border-left:.25rem solid var(--line);padding-left:.75rem;max-width:60rem}
.contents{border-left:.25rem solid var(--line);padding-left:1rem;margin:1.5rem 0}
.contents h2{font-size:1rem;margin:0}
.contents ul{max-width:none;columns:18rem;list-style:none;padding:0;margin:.25rem 0 0}
@media (max-width:40rem){
table,tbody,tr,td{display:block} thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
td{border:0;padding:.1rem 0} td:first-child{font-weight:600} td:empty{display:none} tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
}
`
