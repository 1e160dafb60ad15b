!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.compare"(%n, %m) {operator = "lt", at = "2:4"} : (!int, !int) -> !bool
  "py.if"(%t) ({
    %a = "py.binary"(%n, %m) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
    "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
  }, {
    %b = "py.binary"(%n, %m) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
    "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
  }) {at = "9:4"} : (!bool) -> ()
  %c = "py.binary"(%n, %m) {operator = "mul", at = "10:4"} : (!int, !int) -> !int
  "asc.printf"(%c, %c) {form = "desc: text, arguments: rest", format = "shown", at = "11:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_branches_apart", parameters = ["n", "m", "x"]} : () -> ()
