/**
 * Markdown as DOM nodes: the parser's tokens become Lit templates, so no HTML string ever exists that a page could be made to
 * run. HTML in the text is shown as text, links lead to http(s) and mailto only, and nothing is loaded: an image is a link.
 */
import { html, type TemplateResult } from 'lit';
import { Lexer, type Token, type Tokens } from 'marked';
import { decodeEntities } from './entities';

type Rendered = TemplateResult | string | Rendered[];

/** Deeper than people write, and shallow enough for any stack. */
const MAX_DEPTH = 20;
/** The last texts: a page draws the same context again at every key press. */
const known = new Map<string, Rendered>();
const KEPT = 20;

/** Safe to show whatever `text` holds. Never throws: what cannot be parsed is shown as it is. */
export function markdown(text: string): Rendered {
  const before = known.get(text);
  if (before !== undefined) return before;
  const rendered = render(text);
  if (known.size >= KEPT) known.clear();
  known.set(text, rendered);
  return rendered;
}

function render(text: string): Rendered {
  try {
    return blocks(Lexer.lex(text, { gfm: true, breaks: true }), 0);
  } catch {
    // Thousands of nested quotes end the parser's stack.
    return html`<p class="plain">${text}</p>`;
  }
}

function blocks(tokens: readonly Token[], depth: number): Rendered[] {
  return tokens.map((token) => block(token as Tokens.Generic, depth));
}

function block(token: Tokens.Generic, depth: number): Rendered {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'hr':
      return html`<hr />`;
    case 'heading':
      // Which level would be right in the page around us is not for a question to say.
      return html`<p class="heading">${inline(token.tokens, depth)}</p>`;
    case 'paragraph':
      return html`<p>${inline(token.tokens, depth)}</p>`;
    case 'code':
      return html`<pre><code>${(token as Tokens.Code).text}</code></pre>`;
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens ?? [], depth + 1)}</blockquote>`;
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table, depth);
    case 'html':
      return html`<p class="plain">${token.raw}</p>`;
    default:
      // Text of a tight list item, and whatever a newer parser may bring.
      return token.tokens ? inline(token.tokens, depth) : inlineToken(token, depth);
  }
}

function list(token: Tokens.List, depth: number): TemplateResult {
  const items = token.items.map((item) => html`<li>${blocks(item.tokens, depth + 1)}</li>`);
  return token.ordered
    ? html`<ol start=${Number(token.start) || 1}>
        ${items}
      </ol>`
    : html`<ul>
        ${items}
      </ul>`;
}

function table(token: Tokens.Table, depth: number): TemplateResult {
  const cells = (row: Tokens.TableCell[]) => row.map((cell) => html`<td>${inline(cell.tokens, depth)}</td>`);
  return html`<table>
    <thead>
      <tr>
        ${token.header.map((cell) => html`<th scope="col">${inline(cell.tokens, depth)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${token.rows.map(
        (row) =>
          html`<tr>
            ${cells(row)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function inline(tokens: readonly Token[] | undefined, depth: number): Rendered[] {
  return (tokens ?? []).map((token) => inlineToken(token as Tokens.Generic, depth + 1));
}

function inlineToken(token: Tokens.Generic, depth: number): Rendered {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'strong':
      return html`<strong>${inline(token.tokens, depth)}</strong>`;
    case 'em':
      return html`<em>${inline(token.tokens, depth)}</em>`;
    case 'del':
      return html`<s>${inline(token.tokens, depth)}</s>`;
    case 'codespan':
      return html`<code>${(token as Tokens.Codespan).text}</code>`;
    case 'br':
      return html`<br />`;
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'link':
      return link((token as Tokens.Link).href, inline(token.tokens, depth), token.raw);
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return link(href, decodeEntities(text) || href, token.raw);
    }
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'html':
      return token.raw;
    default:
      return token.tokens ? inline(token.tokens, depth) : decodeEntities(String(token.text ?? token.raw));
  }
}

function link(href: string, label: Rendered, raw: string): Rendered {
  const target = safeTarget(decodeEntities(href));
  if (target === null) return raw;
  return html`<a href=${target} target="_blank" rel="noopener noreferrer nofollow">${label}</a>`;
}

/** The address of a link that may be followed; null for every scheme but http(s) and mailto, and for relative ones. */
function safeTarget(href: string): string | null {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
