!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "add", at = "2:4", variable = "end"} : (!int, !int) -> !int
  "asc.printf"(%a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int) -> ()
  %b = "py.binary"(%n, %m) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  "asc.printf"(%b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int) -> ()
  %c = "asc.get_block_num"() {form = "", at = "6:4", variable = "cores"} : () -> !int
  "asc.printf"(%c) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int) -> ()
  %d = "asc.get_block_num"() {form = "", at = "8:4"} : () -> !int
  "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int) -> ()
}) {sym_name = "keeps_cheap_parts_of_expressions", parameters = ["n", "m", "x"]} : () -> ()
