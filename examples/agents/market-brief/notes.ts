/** What the research team of this example has written down. */
export const notes: readonly string[] = [
  'Competitor: Northwind, large, cheapest in every tender since spring.',
  'Competitor: Halcyon, large, known for service; its customers stay.',
  'Competitor: three new firms came to the market last year; none has more than 20 customers.',
  'Demand: orders up by a third over the year.',
  'Demand: two thirds of new orders come from firms with fewer than 50 people.',
];
